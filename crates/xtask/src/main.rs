//! The house's own tool.
fn main() {}
