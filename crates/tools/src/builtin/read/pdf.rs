//! The text of a PDF.

use std::fs::File;
use std::io::Read as _;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use lopdf::Document;

use super::pages::wanted;
use crate::ToolContext;
use crate::blocking::go_on;
use crate::files::failed;
use crate::text::{MOST_BYTES, size};

/// The largest file that is read; all of it is in memory at once.
const LARGEST_FILE: usize = 32 * 1024 * 1024;

/// What a page may take once it is unpacked.
const LARGEST_PAGE: usize = 32 * 1024 * 1024;

/// The parser goes as deep as the document is nested, so it gets a stack of its own.
const STACK: usize = 64 * 1024 * 1024;

/// Reads the text of some pages.
pub(super) fn read(file: File, path: &str, pages: Option<&str>, context: &ToolContext) -> Result<String, String> {
    let mut content = Vec::new();
    file.take(LARGEST_FILE as u64 + 1).read_to_end(&mut content).map_err(|error| failed("read", path, &error))?;
    if content.len() > LARGEST_FILE {
        return Err(format!(
            "`{path}` is a PDF of more than {}, which is too large to read",
            size(LARGEST_FILE as u64)
        ));
    }
    // Whatever a strange document does to the parser, it is one that cannot be read.
    let unreadable = || format!("`{path}` is a PDF that cannot be read");
    thread::scope(|scope| {
        let parse = || catch_unwind(AssertUnwindSafe(|| text_of(&content, path, pages, context)));
        let parser = thread::Builder::new().name("pdf".to_owned()).stack_size(STACK).spawn_scoped(scope, parse);
        let parsed = parser.map_err(|error| failed("read", path, &error))?.join();
        parsed.map_err(|_| unreadable())?.map_err(|_| unreadable())?
    })
}

fn text_of(content: &[u8], path: &str, pages: Option<&str>, context: &ToolContext) -> Result<String, String> {
    go_on(context)?;
    let document =
        Document::load_mem(content).map_err(|error| format!("`{path}` is a PDF that cannot be read: {error}"))?;
    if document.is_encrypted() {
        return Err(format!("`{path}` is a PDF that is locked by a password"));
    }
    let all = u32::try_from(document.get_pages().len()).unwrap_or(u32::MAX);
    if all == 0 {
        return Err(format!("`{path}` is a PDF without pages"));
    }
    show(&document, wanted(pages, all)?, all, context)
}

/// As many whole pages as fit, at least the beginning of one, and how to go on.
fn show(document: &Document, pages: RangeInclusive<u32>, all: u32, context: &ToolContext) -> Result<String, String> {
    let (mut text, mut last, mut is_blank) = (String::new(), 0, true);
    for page in pages.clone() {
        go_on(context)?;
        let found = page_text(document, page);
        is_blank &= found.trim().is_empty();
        let shown = format!("--- page {page} of {all} ---\n{}\n", found.trim_end());
        if last > 0 && text.len() + shown.len() > MOST_BYTES {
            break;
        }
        text.push_str(&shown);
        last = page;
    }
    if text.len() > MOST_BYTES {
        text.truncate(text.floor_char_boundary(MOST_BYTES));
        text.push_str(&format!("\n[page {last} is longer; only its beginning is shown]\n"));
    }
    if is_blank {
        text.push_str("[no text was found: these may be scanned pictures]\n");
    }
    if last < all {
        text.push_str(&format!("[go on with pages=\"{}-\"]\n", last + 1));
    }
    text.pop();
    Ok(text)
}

fn page_text(document: &Document, page: u32) -> String {
    if is_too_large(document, page) {
        return "[this page is too large to read]".to_owned();
    }
    // One piece of a strange encoding does not spoil the rest of the page.
    let pieces = document.extract_text_chunks(&[page]);
    let text: String = pieces.into_iter().map(|piece| piece.unwrap_or_default()).collect();
    text.replace('\0', "\u{FFFD}")
}

/// Whether a page would unpack to far more than a page can be.
fn is_too_large(document: &Document, page: u32) -> bool {
    let Some(id) = document.get_pages().get(&page).copied() else { return false };
    let mut room = LARGEST_PAGE;
    document.get_page_contents(id).into_iter().any(|content| {
        let packed =
            document.get_object(content).and_then(lopdf::Object::as_stream).map(|stream| stream.content.as_slice());
        let mut unpacked = flate2::read::ZlibDecoder::new(packed.unwrap_or_default()).take(room as u64 + 1);
        let bytes = std::io::copy(&mut unpacked, &mut std::io::sink()).unwrap_or(0);
        let fits = usize::try_from(bytes).is_ok_and(|bytes| bytes <= room);
        room = room.saturating_sub(usize::try_from(bytes).unwrap_or(room));
        !fits
    })
}
