//! What the machine does, told as stories: what happens to a turn, and what it wants done, one short line for each effect.

mod answers;
mod calls;
mod circles;
mod failures;
mod keeping;
mod limits;
mod properties;
mod replaying;
mod steering;
mod stopping;
mod story;
mod texts;
