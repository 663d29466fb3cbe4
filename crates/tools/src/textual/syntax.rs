//! Whether a file that programs read is written as they read it.

use std::path::Path;

use saphyr_parser::Parser;
use serde::de::IgnoredAny;
use toml_parser::decoder::Encoding;
use toml_parser::parser::{EventReceiver, RecursionGuard, parse_document};
use toml_parser::{ErrorSink, ParseError, Raw, Source, Span};

/// How deep values may be in each other; what is deeper is not judged.
const DEEPEST: u32 = 100;

/// Names of files that are called JSON and hold comments.
const WITH_COMMENTS: [&str; 5] = ["tsconfig", "jsconfig", "devcontainer", ".eslintrc", "api-extractor"];

/// Where and why a file is not what its name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What it was read as.
    pub(crate) language: &'static str,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) what: String,
    /// Whether it may be meant: the file is a template of what its name says.
    pub(crate) may_be_meant: bool,
}

/// The first fault of a file whose language its name tells; `None` for any other.
pub(crate) fn fault(name: &Path, content: &str) -> Option<Fault> {
    let content = content.strip_prefix('\u{FEFF}').unwrap_or(content);
    let ending = name.extension()?.to_str()?.to_ascii_lowercase();
    let fault = match ending.as_str() {
        "json" | "ipynb" | "geojson" | "webmanifest" if !has_comments(name) => json(content),
        "yaml" | "yml" => yaml(content),
        "toml" => toml(content),
        _ => None,
    }?;
    let may_be_meant = content.contains("{{") || content.contains("{%");
    Some(Fault { may_be_meant, ..fault })
}

fn has_comments(name: &Path) -> bool {
    let stem = name.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    WITH_COMMENTS.iter().any(|known| stem.starts_with(known))
        || name.parent().and_then(Path::file_name).is_some_and(|folder| folder == ".vscode")
}

fn json(content: &str) -> Option<Fault> {
    let error = serde_json::from_str::<IgnoredAny>(content).err()?;
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what).to_owned();
    let is_too_deep = what.starts_with("recursion limit");
    (!is_too_deep).then_some(Fault {
        language: "JSON",
        line: error.line().max(1),
        column: error.column().max(1),
        what,
        may_be_meant: false,
    })
}

fn yaml(content: &str) -> Option<Fault> {
    let error = Parser::new_from_str(content).find_map(Result::err)?;
    let (line, column) = (error.marker().line().max(1), error.marker().col() + 1);
    Some(Fault { language: "YAML", line, column, what: error.info().to_owned(), may_be_meant: false })
}

fn toml(content: &str) -> Option<Fault> {
    let source = Source::new(content);
    let tokens = source.lex().into_vec();
    let mut faults: Vec<ParseError> = Vec::new();
    let mut values = Values { source };
    parse_document(&tokens, &mut RecursionGuard::new(&mut values, DEEPEST), &mut faults);
    let place = |error: &ParseError| error.unexpected().or(error.context()).map_or(0, |span| span.start());
    faults.retain(|error| !error.description().contains("recursion limit"));
    let first = faults.iter().min_by_key(|error| place(error))?;
    let before = &content[..content.floor_char_boundary(place(first))];
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    let line = before.matches('\n').count() + 1;
    Some(Fault { language: "TOML", line, column, what: first.description().to_owned(), may_be_meant: false })
}

/// Reads each key and value, which the parser only finds.
struct Values<'a> {
    source: Source<'a>,
}

impl Values<'_> {
    fn raw(&self, span: Span, encoding: Option<Encoding>) -> Option<Raw<'_>> {
        let text = self.source.get(span)?;
        Some(Raw::new_unchecked(text.as_str(), encoding, span))
    }
}

impl EventReceiver for Values<'_> {
    fn simple_key(&mut self, span: Span, kind: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.raw(span, kind) {
            raw.decode_key(&mut (), error);
        }
    }

    fn scalar(&mut self, span: Span, kind: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.raw(span, kind) {
            let _kind = raw.decode_scalar(&mut (), error);
        }
    }

    fn comment(&mut self, span: Span, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.raw(span, None) {
            raw.decode_comment(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, content: &str) -> Option<(&'static str, usize, usize)> {
        fault(Path::new(name), content).map(|fault| (fault.language, fault.line, fault.column))
    }

    #[test]
    fn a_fault_is_told_by_line_and_column() {
        assert_eq!(place("a.json", "{\n  \"a\": 1,\n}"), Some(("JSON", 3, 1)));
        assert_eq!(place("a.JSON", ""), Some(("JSON", 1, 1)));
        assert_eq!(place("a.yaml", "a: 1\nb: [1, 2\nc: 3\n").map(|(language, ..)| language), Some("YAML"));
        assert_eq!(place("a.yml", "a: b: c\n").map(|(_, line, _)| line), Some(1));
        assert_eq!(place("a.toml", "[a]\nb = \n"), Some(("TOML", 2, 5)));
        assert_eq!(place("a.toml", "a = 1\nb = yes\n").map(|(language, line, _)| (language, line)), Some(("TOML", 2)));
        assert_eq!(place("a.toml", "a = \"\\q\"\n").map(|(_, line, _)| line), Some(1));
    }

    #[test]
    fn what_is_right_or_has_no_known_language_has_no_fault() {
        for (name, content) in [
            ("a.json", "\u{FEFF}{\"a\": [1, 2.5e3, null, \"é\\n\"]}\n"),
            ("a.yaml", "a: &x [1, 2]\nb: *x\n---\nc: |\n  text\n"),
            ("a.toml", "title = 'x'\nat = 2024-01-01T00:00:00Z\n[a.b]\nc = [1, 2,]\nd = { e = 0x1F }\n"),
            ("a.txt", "{"),
            ("json", "{"),
            ("tsconfig.base.json", "{ // comment\n}"),
            (".vscode/settings.json", "{ // comment\n}"),
            ("a.jsonl", "{}\n{}\n"),
        ] {
            assert_eq!(fault(Path::new(name), content), None, "{name}");
        }
    }

    #[test]
    fn depth_alone_is_no_fault() {
        assert_eq!(place("a.json", &format!("{}{}", "[".repeat(200), "]".repeat(200))), None);
    }

    #[test]
    fn a_template_may_be_meant() {
        assert!(fault(Path::new("chart.yaml"), "a: {{ .Values.a }}\nb: [\n").unwrap().may_be_meant);
    }
}
