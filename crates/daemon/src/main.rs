//! Cowhand, a chat-bot daemon.
fn main() {}
