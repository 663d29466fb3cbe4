//! Text with HTML marks, read as strictly as the service does (td `MessageEntity.cpp`, `parse_html`).

/// The tags that it knows.
const TAGS: [&str; 16] = [
    "b",
    "strong",
    "i",
    "em",
    "s",
    "strike",
    "del",
    "u",
    "ins",
    "a",
    "code",
    "pre",
    "blockquote",
    "span",
    "tg-spoiler",
    "tg-emoji",
];

/// Reads a text with marks: what is seen of it, or what the service says against it.
///
/// # Errors
///
/// Where the service would refuse to parse it.
pub fn read(html: &str) -> Result<String, String> {
    let (mut text, mut open, mut at) = (String::new(), Vec::<String>::new(), 0);
    while let Some(char) = html[at..].chars().next() {
        match char {
            '&' => {
                let (read, length) = entity(&html[at..]);
                text.push(read);
                at += length;
            }
            '<' => {
                let end = html[at..].find('>').map(|end| at + end);
                if let Some(name) = html[at..].strip_prefix("</") {
                    let end = end.ok_or_else(|| format!("Unclosed end tag at byte offset {at}"))?;
                    let name = name[..end - at - 2].trim().to_ascii_lowercase();
                    close(&mut open, &name, at)?;
                    at = end + 1;
                } else {
                    let end = end.ok_or_else(|| format!("Unclosed start tag at byte offset {at}"))?;
                    open.push(start(&html[at + 1..end], at)?);
                    at = end + 1;
                }
            }
            char => {
                text.push(char);
                at += char.len_utf8();
            }
        }
    }
    match open.last() {
        Some(name) => Err(format!("Can't find end tag corresponding to start tag \"{name}\"")),
        None => Ok(text),
    }
}

fn close(open: &mut Vec<String>, name: &str, at: usize) -> Result<(), String> {
    let Some(expected) = open.pop() else { return Err(format!("Unexpected end tag at byte offset {at}")) };
    if !name.is_empty() && name != expected {
        let text = format!("Unmatched end tag at byte offset {at}, expected \"</{expected}>\", found \"</{name}>\"");
        return Err(text);
    }
    Ok(())
}

fn start(tag: &str, at: usize) -> Result<String, String> {
    let name: String = tag.chars().take_while(|char| !char.is_whitespace()).collect();
    let name = name.to_ascii_lowercase();
    if !TAGS.contains(&name.as_str()) {
        return Err(format!("Unsupported start tag \"{name}\" at byte offset {at}"));
    }
    let mut attributes = tag[name.len()..].trim();
    while !attributes.is_empty() {
        let (attribute, rest) = attributes.split_once('=').unwrap_or((attributes, ""));
        if attribute.trim().is_empty() {
            return Err(format!("Empty attribute name in the tag \"{name}\" at byte offset {at}"));
        }
        let quoted = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let Some((_, rest)) = quoted else {
            return Err(format!("Unclosed start tag \"{name}\" at byte offset {at}"));
        };
        attributes = rest.trim();
    }
    Ok(name)
}

/// A character that is written by name. Other names are text.
fn entity(html: &str) -> (char, usize) {
    let named = [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"')];
    let found = named.into_iter().find(|(name, _)| html.starts_with(name));
    found.map_or(('&', 1), |(name, char)| (char, name.len()))
}
