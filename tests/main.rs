//! The whole system, in process and as the real binary.
