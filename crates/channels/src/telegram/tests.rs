//! The adapter as a whole, against a strict fake of the service; the actors of a conversation are played by the test.

mod arriving;
mod desk;
mod failing;
mod files;
mod groups;
mod resuming;
mod sending;
