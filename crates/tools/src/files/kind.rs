//! What a file is that is no text.

/// How such files begin, and what they are.
const BEGINNINGS: [(&[u8], &str); 21] = [
    (b"\x7FELF", "ELF program or library"),
    (b"\x89PNG\r\n\x1A\n", "PNG image"),
    (b"\xFF\xD8\xFF", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive, or a document in one (docx, xlsx, jar)"),
    (b"\x1F\x8B", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xFD7zXZ\0", "xz archive"),
    (b"\x28\xB5\x2F\xFD", "zstd archive"),
    (b"7z\xBC\xAF\x27\x1C", "7z archive"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg audio"),
    (b"fLaC", "FLAC audio"),
    (b"\x1A\x45\xDF\xA3", "Matroska or WebM video"),
    (b"\0asm", "WebAssembly module"),
    (b"\xCA\xFE\xBA\xBE", "Java class or Mach-O program"),
    (b"MZ\x90\0", "Windows program"),
    (b"\xFF\xFE", "text in UTF-16, which iconv can convert"),
    (b"\xFE\xFF", "text in UTF-16, which iconv can convert"),
];

/// What a file is, judged by its first bytes; `None` for text, broken UTF-8 among it.
pub(crate) fn binary_kind(beginning: &[u8]) -> Option<&'static str> {
    if let Some((_, kind)) = BEGINNINGS.iter().find(|(bytes, _)| beginning.starts_with(bytes)) {
        return Some(kind);
    }
    match (beginning.get(..4), beginning.get(8..12)) {
        (Some(b"RIFF"), Some(b"WEBP")) => Some("WebP image"),
        (Some(b"RIFF"), Some(b"WAVE")) => Some("WAV audio"),
        _ if beginning.get(4..8) == Some(b"ftyp") => Some("MP4 video or audio"),
        _ => beginning.contains(&0).then_some("binary data"),
    }
}

/// Whether it is a picture of a kind that models take.
pub(crate) fn is_image(beginning: &[u8]) -> bool {
    matches!(binary_kind(beginning), Some("PNG image" | "JPEG image" | "GIF image" | "WebP image"))
}

/// Whether it is a PDF document.
pub(crate) fn is_pdf(beginning: &[u8]) -> bool {
    beginning.starts_with(b"%PDF-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_what_is_none() {
        assert_eq!(binary_kind(b"\x7FELF\x02\x01"), Some("ELF program or library"));
        assert_eq!(binary_kind(b"RIFF\x10\0\0\0WEBPVP8 "), Some("WebP image"));
        assert_eq!(binary_kind(b"\0\0\0\x18ftypmp42"), Some("MP4 video or audio"));
        assert_eq!(binary_kind(b"one\0two"), Some("binary data"));
        for text in [&b""[..], b"plain", "ünï".as_bytes(), b"a\xED\xA0\xBDb\n", b"\xEF\xBB\xBFmarked"] {
            assert_eq!(binary_kind(text), None, "{text:?}");
        }
    }
}
