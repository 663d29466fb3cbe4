//! Repairs broken JSON without inventing or losing content.
