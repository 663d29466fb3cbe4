//! From the parser's events to pieces.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::table::Table;
use super::{Mark, Piece};

/// What links may lead to; services drop or refuse others.
const SCHEMES: [&str; 5] = ["https://", "http://", "tg://", "mailto:", "tel:"];

pub(super) fn walk(markdown: &str) -> Vec<Piece> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut walk = Walk::default();
    Parser::new_ext(markdown, options).for_each(|event| walk.event(event));
    walk.pieces
}

#[derive(Default)]
struct Walk {
    pieces: Vec<Piece>,
    /// The marks that are open; `None` where one would stand inside itself, or is not shown.
    open: Vec<Option<Mark>>,
    /// What every new line begins with.
    indents: Vec<String>,
    /// The number of the next item of each list that is open.
    lists: Vec<Option<u64>>,
    /// Line breaks before the next visible thing.
    breaks: usize,
    has_text: bool,
    /// Something that holds blocks was begun and holds none yet: its first one stands where it begins.
    is_fresh: bool,
    quotes: usize,
    code: Option<String>,
    table: Option<Table>,
    /// The address of the link that is open, and where its text begins.
    link: Option<(String, usize)>,
}

impl Walk {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.code(&text),
            Event::InlineHtml(html) if matches!(&*html, "<br>" | "<br/>" | "<br />") => self.text("\n"),
            Event::Html(text) | Event::InlineHtml(text) | Event::FootnoteReference(text) => self.text(&text),
            Event::SoftBreak | Event::HardBreak => self.text("\n"),
            Event::Rule => self.block(|walk| walk.text("———")),
            Event::TaskListMarker(done) => self.text(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.need(2);
                self.open(Mark::Bold);
            }
            Tag::BlockQuote(_) => self.start_quote(),
            Tag::CodeBlock(kind) => {
                self.need(self.distance());
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().map(str::to_owned),
                    CodeBlockKind::Indented => None,
                };
                self.open(Mark::Block { language });
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.need(self.distance());
                self.lists.push(first);
            }
            Tag::Item => self.start_item(),
            Tag::Emphasis => self.open(Mark::Italic),
            Tag::Strong => self.open(Mark::Bold),
            Tag::Strikethrough => self.open(Mark::Strike),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.start_link(&dest_url),
            Tag::Table(alignments) => self.table = Some(Table::new(alignments)),
            Tag::TableHead | Tag::TableRow => _ = self.table.as_mut().map(Table::begin_row),
            Tag::TableCell => _ = self.table.as_mut().map(Table::begin_cell),
            _ => self.need(self.distance()),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.close();
                self.need(2);
            }
            TagEnd::BlockQuote(_) => self.end_quote(),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.need(self.distance());
            }
            TagEnd::Item => {
                self.indents.pop();
                self.is_fresh = false;
                self.need(1);
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.close(),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell => {}
            _ => self.need(self.distance()),
        }
    }

    /// How many line breaks are between blocks here.
    fn distance(&self) -> usize {
        if self.lists.is_empty() { 2 } else { 1 }
    }

    fn need(&mut self, breaks: usize) {
        if !self.is_fresh {
            self.breaks = self.breaks.max(breaks);
        }
    }

    fn block(&mut self, write: impl FnOnce(&mut Self)) {
        self.need(2);
        write(self);
        self.need(2);
    }

    /// Moves to where the next visible thing stands; tells whether that is a new line.
    fn flush(&mut self) -> bool {
        let breaks = std::mem::take(&mut self.breaks);
        if !self.has_text || breaks == 0 {
            return false;
        }
        let text = "\n".repeat(breaks) + &self.indents.concat();
        self.put(text);
        true
    }

    fn put(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        self.is_fresh = false;
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(&text);
        } else {
            self.pieces.push(Piece::Text(text));
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(table) = &mut self.table {
            return table.add(text);
        }
        if let Some(code) = &mut self.code {
            return code.push_str(text);
        }
        // Line breaks at the end of a text are taken up by what comes next.
        let lines = text.trim_end_matches('\n');
        if !lines.is_empty() {
            self.flush();
            self.has_text = true;
            self.put(lines.replace('\n', &format!("\n{}", self.indents.concat())));
        }
        self.breaks += text.len() - lines.len();
    }

    fn code(&mut self, text: &str) {
        if self.table.is_some() {
            return self.text(text);
        }
        self.open(Mark::Code);
        self.text(text);
        self.close();
    }

    fn open(&mut self, mark: Mark) {
        if self.table.is_some() {
            return self.open.push(None);
        }
        self.flush();
        let kind = std::mem::discriminant(&mark);
        if self.open.iter().flatten().any(|open| std::mem::discriminant(open) == kind) {
            return self.open.push(None);
        }
        self.open.push(Some(mark.clone()));
        self.pieces.push(Piece::Open(mark));
    }

    fn close(&mut self) {
        if let Some(Some(_)) = self.open.pop() {
            self.pieces.push(Piece::Close);
        }
    }

    /// Quotes cannot be nested everywhere: those inside another have a mark on each line.
    fn start_quote(&mut self) {
        self.need(self.distance());
        if self.quotes > 0 {
            self.indents.push("> ".into());
            if !self.flush() {
                self.has_text = true;
                self.put("> ".into());
            }
            self.open.push(None);
        } else {
            self.open(Mark::Quote);
        }
        self.quotes += 1;
        self.is_fresh = true;
    }

    fn end_quote(&mut self) {
        self.quotes = self.quotes.saturating_sub(1);
        self.is_fresh = false;
        if self.quotes > 0 {
            self.indents.pop();
        }
        self.close();
        self.need(self.distance());
    }

    fn start_item(&mut self) {
        self.need(1);
        self.flush();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "• ".into(),
        };
        self.indents.push(" ".repeat(marker.chars().count()));
        self.has_text = true;
        self.put(marker);
        self.is_fresh = true;
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        let code = code.strip_suffix('\n').unwrap_or(&code);
        if !code.is_empty() {
            self.has_text = true;
            self.put(code.to_owned());
        }
        self.close();
        self.need(self.distance());
    }

    fn start_link(&mut self, address: &str) {
        if self.table.is_some() || self.link.is_some() {
            return self.open.push(None);
        }
        let address = address.trim();
        let is_shown = SCHEMES.iter().any(|scheme| address.to_ascii_lowercase().starts_with(scheme));
        if is_shown {
            self.open(Mark::Link(address.to_owned()));
        } else {
            self.open.push(None);
        }
        self.link = Some((address.to_owned(), self.pieces.len()));
    }

    fn end_link(&mut self) {
        if let Some((address, start)) = self.link.take_if(|_| self.table.is_none()) {
            let has_text = self.pieces[start.min(self.pieces.len())..].iter().any(|it| matches!(it, Piece::Text(_)));
            let is_shown = matches!(self.open.last(), Some(Some(_)));
            match (is_shown, has_text) {
                (_, false) => self.text(&address),
                (false, true) if !address.is_empty() => self.text(&format!(" ({address})")),
                _ => {}
            }
        }
        self.close();
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        self.need(self.distance());
        self.open(Mark::Block { language: None });
        self.has_text = true;
        self.put(table.text());
        self.close();
        self.need(self.distance());
    }
}
