//! Files that came with an answer.

use chat::{Language, OutgoingFile};

use crate::terminal::neutral::neutral_line;
use crate::wording::Text;

/// The line that tells of a file.
pub(super) fn line(file: &OutgoingFile, language: Language) -> String {
    let path = neutral_line(&file.path.to_string_lossy());
    let told = Text::File { name: neutral_line(&file.name), size: size(file.bytes), path }.say(language);
    match &file.caption {
        Some(caption) => format!("{told} {}", neutral_line(caption)),
        None => told,
    }
}

fn size(bytes: u64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let exact = bytes as f64;
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KB", exact / 1_024.0),
        _ => format!("{:.1} MB", exact / 1_048_576.0),
    }
}
