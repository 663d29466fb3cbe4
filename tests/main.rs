//! The whole system, in process and as the real binary.

mod architecture;
mod binary;
mod cold_and_warm;
mod conversations;
mod estimates;
mod formats;
mod guard;
mod resuming;
mod services;
mod support;
mod terminal;
mod traces;
mod turns;
