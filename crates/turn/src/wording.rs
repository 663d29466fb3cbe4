//! Everything the machine says. What people read is in their language; what only the model reads is English.

pub(crate) mod for_model;
mod for_people;

pub(crate) use for_people::ForPeople;
