//! Chat services in process: real actors and ledger, an adapter and people in the test's hands.

mod access;
mod changes;
mod deliveries;
mod groups;
mod liveness;
mod many;
