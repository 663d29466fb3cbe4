//! Fences and tags.

use crate::reader::Reader;
use crate::repaired::RepairKind;

/// How many bytes the fence that stands here has; 0 where none stands.
pub(crate) fn fence_length(reader: &Reader<'_>) -> usize {
    let start = reader.at();
    let Some(sign) = reader.peek().filter(|c| matches!(c, '`' | '~')) else { return 0 };
    let mut end = start + 1;
    while reader.char_at(end) == Some(sign) {
        end += 1;
    }
    if end - start < 3 { 0 } else { end - start }
}

pub(crate) fn skip_fence(reader: &mut Reader<'_>) {
    let at = reader.at();
    reader.note(RepairKind::Fence, at);
    reader.go_to(at + fence_length(reader));
}

/// What stands where a tag may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    /// It was passed.
    Whole,
    /// The text ends in it; it was passed.
    Cut,
}

/// Passes a tag: `</parameter>`, `<tool_call>`, `<|end|>`. It is on one line, holds no brackets, and its quotes are closed.
pub(crate) fn skip_tag(reader: &mut Reader<'_>) -> Tag {
    let start = reader.at();
    if reader.peek() != Some('<') {
        return Tag::None;
    }
    reader.bump();
    let begins = reader.peek().is_none_or(|c| c.is_alphabetic() || "/|!?_｜".contains(c));
    let mut quotes = 0;
    reader.take_while(|c| {
        quotes += usize::from(c == '"');
        begins && !">\n<{}[]".contains(c)
    });
    let is_closed = reader.peek() == Some('>');
    if !begins || quotes % 2 == 1 || !(is_closed || reader.peek().is_none()) {
        reader.go_to(start);
        return Tag::None;
    }
    reader.bump();
    reader.note(RepairKind::Tag, start);
    if is_closed { Tag::Whole } else { Tag::Cut }
}
