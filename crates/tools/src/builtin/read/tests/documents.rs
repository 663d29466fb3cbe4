//! Pictures and documents.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};
use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, dictionary};
use serde_json::json;

use crate::builtin::playground::Playground;

/// A picture that no encoder can make small.
fn noisy(width: u32, height: u32) -> DynamicImage {
    let mut random = fastrand::Rng::with_seed(1);
    let bytes = std::iter::repeat_with(|| random.u8(..)).take((width * height * 3) as usize).collect();
    RgbImage::from_raw(width, height, bytes).unwrap().into()
}

fn put_picture(playground: &Playground, name: &str, picture: &DynamicImage, format: ImageFormat) {
    playground.put(name, "");
    picture.save_with_format(playground.path(name), format).unwrap();
}

#[tokio::test]
async fn a_picture_is_given_to_the_model_with_its_size() {
    let playground = Playground::new();
    for (name, format, media_type) in [
        ("a.png", ImageFormat::Png, "image/png"),
        ("a.jpg", ImageFormat::Jpeg, "image/jpeg"),
        ("a.gif", ImageFormat::Gif, "image/png"),
        ("a.webp", ImageFormat::WebP, "image/png"),
    ] {
        let picture = RgbaImage::from_pixel(40, 30, [200, 10, 10, 255].into());
        let picture = DynamicImage::from(picture);
        let picture = if format == ImageFormat::Jpeg { picture.to_rgb8().into() } else { picture };
        put_picture(&playground, name, &picture, format);

        let result = playground.call("read", json!({"path": name})).await;

        assert!(result.content.starts_with(&format!("`{name}`: a picture of 40×30 pixels, ")), "{}", result.content);
        let [image] = result.images.as_slice() else { panic!("{result:?}") };
        assert_eq!(image.media_type, media_type);
        let shown = image::load_from_memory(&STANDARD.decode(&image.data).unwrap()).unwrap();
        assert_eq!((shown.width(), shown.height()), (40, 30));
    }
}

#[tokio::test]
async fn a_large_picture_is_made_smaller() {
    let playground = Playground::new();
    put_picture(&playground, "large.png", &noisy(2_000, 500), ImageFormat::Png);

    let result = playground.call("read", json!({"path": "large.png"})).await;

    assert!(result.content.contains("2000×500") && result.content.ends_with("; shown with 1568×392"), "{result:?}");
    assert!(result.images[0].data.len() < 2_000_000);
    assert_eq!(result.images[0].media_type, "image/jpeg");
}

#[tokio::test]
async fn a_picture_that_is_none_or_a_bomb_is_an_error() {
    let playground = Playground::new();
    playground.put("cut.png", b"\x89PNG\r\n\x1A\n");
    put_picture(&playground, "bomb.png", &RgbImage::new(8, 8).into(), ImageFormat::Png);
    let mut bomb = std::fs::read(playground.path("bomb.png")).unwrap();
    // The width in its header, and the check sum that no longer fits, whichever is noticed first.
    bomb[16..20].copy_from_slice(&1_000_000_u32.to_be_bytes());
    playground.put("bomb.png", bomb);

    for name in ["cut.png", "bomb.png"] {
        let error = playground.error("read", json!({"path": name})).await;
        assert!(error.starts_with(&format!("`{name}` is a picture that cannot be read: ")), "{error}");
    }
}

/// A document with these texts, a page for each.
fn pdf(pages: &[String]) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = pages
        .iter()
        .map(|text| {
            let operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Td", vec![10.into(), 700.into()]),
                Operation::new("Tj", vec![Object::string_literal(text.as_str())]),
                Operation::new("ET", vec![]),
            ];
            let content = document.add_object(Stream::new(dictionary! {}, Content { operations }.encode().unwrap()));
            let page =
                dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources };
            document.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    let node = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    document.objects.insert(tree, Object::Dictionary(node));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn pages(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("Text of page {number}.")).collect()
}

#[tokio::test]
async fn a_document_is_read_page_by_page() {
    let playground = Playground::new();
    playground.put("a.pdf", pdf(&pages(25)));

    let first = playground.ok("read", json!({"path": "a.pdf"})).await;
    let last = playground.ok("read", json!({"path": "a.pdf", "pages": "24-"})).await;
    let error = playground.error("read", json!({"path": "a.pdf", "pages": "26"})).await;

    assert!(first.starts_with("--- page 1 of 25 ---\nText of page 1.\n--- page 2"), "{first}");
    assert!(first.ends_with("--- page 20 of 25 ---\nText of page 20.\n[go on with pages=\"21-\"]"), "{first}");
    assert_eq!(last, "--- page 24 of 25 ---\nText of page 24.\n--- page 25 of 25 ---\nText of page 25.");
    assert_eq!(error, "page 26 is past the end: the document has 25 pages");
}

#[tokio::test]
async fn a_page_without_text_and_one_that_is_too_long_say_so() {
    let playground = Playground::new();
    playground.put("scan.pdf", pdf(&[String::new()]));
    playground.put("long.pdf", pdf(&["word ".repeat(20_000), "second".into()]));

    let scan = playground.ok("read", json!({"path": "scan.pdf"})).await;
    let long = playground.ok("read", json!({"path": "long.pdf"})).await;

    assert!(scan.ends_with("[no text was found: these may be scanned pictures]"), "{scan}");
    assert!(long.len() < 50_000, "{}", long.len());
    let notes = "\n[page 1 is longer; only its beginning is shown]\n[go on with pages=\"2-\"]";
    assert!(long.ends_with(notes), "{}", &long[long.len() - 200..]);
}

#[tokio::test]
async fn whatever_a_broken_document_is_it_is_an_error_or_a_text() {
    let playground = Playground::new();
    let whole = pdf(&pages(3));
    let mut random = fastrand::Rng::with_seed(7);
    playground.put("a.pdf", b"%PDF-1.7\nnothing");
    let error = playground.error("read", json!({"path": "a.pdf"})).await;
    assert!(error.starts_with("`a.pdf` is a PDF that cannot be read"), "{error}");
    for _ in 0..60 {
        let mut broken = whole.clone();
        for _ in 0..random.usize(1..40) {
            let at = random.usize(5..broken.len());
            broken[at] = random.u8(..);
        }
        broken.truncate(random.usize(broken.len() / 2..=broken.len()));
        playground.put("a.pdf", broken);

        playground.call("read", json!({"path": "a.pdf"})).await;
    }
}
