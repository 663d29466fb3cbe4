//! Pictures, made small enough for a model.

use std::fs::File;
use std::io::{BufReader, Cursor};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chat::{Picture, ToolResult};
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};

use crate::files::failed;
use crate::text::size;

/// The largest file that is looked at.
const LARGEST_FILE: u64 = 50 * 1024 * 1024;

/// The longest side that is sent: more is made smaller by most vendors, and paid for.
const LONGEST_SIDE: u32 = 1_568;

/// The longest side of a picture that is looked at at all.
const LONGEST_SIDE_OF_FILE: u32 = 20_000;

/// Bytes that a picture may take while it is decoded.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;

/// Bytes that are sent of a picture; one without loss that takes more is sent with some.
const MOST_SENT: usize = 800_000;

/// How good a picture with loss is, of 100.
const QUALITY: u8 = 85;

/// Reads a picture for a model.
pub(super) fn read(file: File, path: &str, bytes: u64) -> Result<ToolResult, String> {
    if bytes > LARGEST_FILE {
        return Err(format!("`{path}` is a picture of {}, which is too large; make a smaller one first", size(bytes)));
    }
    let unreadable = |error: image::ImageError| format!("`{path}` is a picture that cannot be read: {error}");
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE_OF_FILE);
    limits.max_image_height = Some(LONGEST_SIDE_OF_FILE);
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::new(BufReader::new(file));
    reader.limits(limits);
    let reader = reader.with_guessed_format().map_err(|error| failed("read", path, &error))?;
    let format = reader.format();
    let picture = reader.decode().map_err(unreadable)?;
    let (width, height) = (picture.width(), picture.height());
    let fitted = fit(picture);
    let (media_type, data) = encode(&fitted, format).map_err(unreadable)?;
    let mut told = format!("`{path}`: a picture of {width}×{height} pixels, {}", size(bytes));
    if (fitted.width(), fitted.height()) != (width, height) {
        told.push_str(&format!("; shown with {}×{}", fitted.width(), fitted.height()));
    }
    let image = Picture { media_type: media_type.to_owned(), data: STANDARD.encode(data) };
    Ok(ToolResult { images: vec![image], ..ToolResult::ok(told) })
}

fn fit(picture: DynamicImage) -> DynamicImage {
    if picture.width() <= LONGEST_SIDE && picture.height() <= LONGEST_SIDE {
        return picture;
    }
    picture.resize(LONGEST_SIDE, LONGEST_SIDE, FilterType::Triangle)
}

/// Encodes anew what was decoded, so that nobody is sent a file that is only half a picture.
fn encode(picture: &DynamicImage, format: Option<ImageFormat>) -> Result<(&'static str, Vec<u8>), image::ImageError> {
    if format != Some(ImageFormat::Jpeg) {
        let mut data = Vec::new();
        picture.write_to(&mut Cursor::new(&mut data), ImageFormat::Png)?;
        if data.len() <= MOST_SENT {
            return Ok(("image/png", data));
        }
    }
    let mut data = Vec::new();
    JpegEncoder::new_with_quality(&mut data, QUALITY).encode_image(&picture.to_rgb8())?;
    Ok(("image/jpeg", data))
}
