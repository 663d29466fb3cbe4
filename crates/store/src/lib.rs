//! The ledger on disk.
