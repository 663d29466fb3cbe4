//! Valid JSON, as `serde_json` reads it.

use serde_json::Value;

use crate::{Limits, long_integer};

/// Reads valid JSON. Gives nothing where it is not valid, is too deep, or `serde_json` would lose something: it keeps the last one of
/// two equal members, and rounds a long whole number.
pub(crate) fn parse(text: &str, limits: Limits) -> Option<Value> {
    let value = serde_json::from_str(text).ok()?;
    let shape = Shape::of(text);
    let is_kept = shape.members == count_members(&value) && long_integer(text).is_none();
    (shape.depth < limits.depth() && is_kept).then_some(value)
}

/// What a valid text tells without being parsed.
#[derive(Default)]
struct Shape {
    /// How deep its brackets go.
    depth: usize,
    /// How many members its objects have, those with equal keys included.
    members: usize,
}

impl Shape {
    fn of(text: &str) -> Self {
        let (mut shape, mut depth, mut in_string, mut escaped) = (Self::default(), 0_usize, false, false);
        for byte in text.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b':' => shape.members += 1,
                b'{' | b'[' => {
                    depth += 1;
                    shape.depth = shape.depth.max(depth);
                }
                b'}' | b']' => depth -= 1,
                _ => {}
            }
        }
        shape
    }
}

/// How many members the objects in a value have.
fn count_members(value: &Value) -> usize {
    let (mut members, mut waiting) = (0, vec![value]);
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(object) => {
                members += object.len();
                waiting.extend(object.values());
            }
            Value::Array(items) => waiting.extend(items),
            _ => {}
        }
    }
    members
}
