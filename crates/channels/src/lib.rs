//! Channel adapters.
