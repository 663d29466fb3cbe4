//! The terminal as a whole, in process: lines in, what the actors of a conversation tell in, text out.

mod desk;
mod interactive;
mod leaving;
mod pipe;

use chat::{Arrival, Inbound};

/// The message in an arrival.
fn message(arrival: Arrival) -> Inbound {
    let Arrival::Message(inbound) = arrival else { panic!("a terminal has only messages: {arrival:?}") };
    inbound
}
