//! The files of a message.

use serde_json::Value;
use teloxide::types::{FileMeta, MediaKind, MessageCommon};

use super::is_direction;

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 100;

/// What may be in any file.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// Where the service names files that have a media type.
const WITH_TYPE: [&str; 5] = ["document", "voice", "audio", "video", "animation"];

/// A file that is still with the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRef {
    /// What it is asked for by.
    pub(crate) id: String,
    /// What makes it the same file wherever it is met.
    pub(crate) unique_id: String,
    /// What it is called.
    pub(crate) name: String,
    pub(crate) media_type: String,
    pub(crate) bytes: u64,
}

/// The file of a message, if it has one.
pub(super) fn of(common: &MessageCommon) -> Option<FileRef> {
    let (meta, name, media_type) = match &common.media_kind {
        MediaKind::Photo(photo) => {
            let largest = photo.photo.iter().max_by_key(|size| (size.width, size.file.size))?;
            (&largest.file, Some("photo.jpg"), Some("image/jpeg".to_owned()))
        }
        MediaKind::Document(it) => {
            let it = &it.document;
            (&it.file, it.file_name.as_deref(), it.mime_type.as_ref().map(ToString::to_string))
        }
        MediaKind::Voice(it) => {
            let media_type = it.voice.mime_type.as_ref().map_or("audio/ogg".into(), ToString::to_string);
            (&it.voice.file, Some("voice.ogg"), Some(media_type))
        }
        MediaKind::Audio(it) => {
            let it = &it.audio;
            (&it.file, it.file_name.as_deref(), it.mime_type.as_ref().map(ToString::to_string))
        }
        MediaKind::Video(it) => {
            let it = &it.video;
            let name = it.file_name.as_deref().or(Some("video.mp4"));
            (&it.file, name, it.mime_type.as_ref().map(ToString::to_string))
        }
        MediaKind::VideoNote(it) => (&it.video_note.file, Some("video.mp4"), Some("video/mp4".into())),
        MediaKind::Animation(it) => {
            let it = &it.animation;
            let name = it.file_name.as_deref().or(Some("animation.mp4"));
            (&it.file, name, it.mime_type.as_ref().map(ToString::to_string))
        }
        _ => return None,
    };
    Some(file(meta, name, media_type))
}

/// Names the media type of files that have none. It may be left out, but teloxide then takes the whole message for an empty one.
pub(super) fn name_types(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let has_no_type = value["file_id"].is_string() && !value["mime_type"].is_string();
                if has_no_type && WITH_TYPE.contains(&name.as_str()) {
                    value["mime_type"] = UNKNOWN_TYPE.into();
                }
                name_types(value);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(name_types),
        _ => {}
    }
}

fn file(meta: &FileMeta, name: Option<&str>, media_type: Option<String>) -> FileRef {
    FileRef {
        id: meta.id.0.clone(),
        unique_id: meta.unique_id.0.chars().filter(char::is_ascii_alphanumeric).collect(),
        name: tidy_file_name(name.unwrap_or_default()),
        media_type: media_type.unwrap_or_else(|| UNKNOWN_TYPE.into()),
        // What the service does not tell is filled in with the largest number there is.
        bytes: if meta.size == u32::MAX { 0 } else { meta.size.into() },
    }
}

/// A file's name that names a file and nothing else: no folders, no control characters, not hidden, not endless.
pub(super) fn tidy_file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_kept = |char: &char| !char.is_control() && !is_direction(*char);
    let name: String = last.chars().filter(is_kept).collect();
    let name = name.trim().trim_start_matches('.');
    let Some((stem, ending)) = name.rsplit_once('.').filter(|(_, ending)| ending.len() <= 16) else {
        let name = start_of(name, LONGEST_NAME);
        return if name.is_empty() { "file".into() } else { name.into() };
    };
    format!("{}.{ending}", start_of(stem, LONGEST_NAME - ending.len() - 1))
}

fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
