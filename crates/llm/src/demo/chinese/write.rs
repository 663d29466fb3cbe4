//! Wishes to have something written into a file.

use super::super::lexer::Kind;
use super::super::lists::{beginning, begins, each, ends, is_in};
use super::super::path::{self, Look};
use super::super::shell::shell_word;
use super::super::wish::{Gap, Wish};
use super::Request;
use super::clause::Clause;
use super::pieces::Piece;
use super::vocabulary::{APPENDING, COMPOSITIONS, CREATING, INTO, NAMED, WRITING};

/// What is to be written, as far as it was said.
enum Content {
    Text(String),
    Missing,
    /// It would have to be made up first.
    ToBeComposed,
    /// It is in another file.
    Elsewhere,
}

/// What leads from the name of a file to its content.
const CONNECTORS: &str = "内容为|内容是|内容写|内容：|内容:|里面写上|里面写着|里面写|里写上|里写入|里写|中写入|中写|写上|写入|写着|写明|\
     写成|改成|追加一行|追加一句|追加|添加一行|添加一句|添加|加上一行|加上一句|加上|加入一行|加入|加一行|加一句|\
     插入一行|插入|存入|保存|填入|记下|补充|写一行|写一句|写|：|:";

/// What leads up to a content.
const LEAD_INS: &str =
    "一行|一句话|一句|文字|文本|内容是|内容为|内容|字符串|一段话|一段|下面这段话|这段话|这句话|这行|：|:|，|,|。|\n| ";

/// What points at a content that follows.
const POINTING: &str =
    "以下内容|下面的内容|如下内容|以下文字|下面的话|下面|以下|这个|这些|它|内容|东西|点东西|一些内容";

impl<'a> Request<'a> {
    /// A clause that is built on a verb of writing.
    pub(super) fn write(&self, clause: &Clause<'_, 'a>) -> Option<Wish> {
        let asks = "写了|写的是|写的什么|写的啥|写着什么|写着啥|怎么写";
        if !clause.has(WRITING) || clause.has(asks) {
            return None;
        }
        if let Some(folder) = new_folder(clause) {
            return Some(Wish::Run(format!("mkdir -p {}", shell_word(&folder))));
        }
        if clause.has("在开头|的开头|最前面|第一行插入|第一行加|第一行写|第一行之前") {
            return None;
        }
        match self.target(clause) {
            Some((at, path)) => Some(self.write_to(clause, at, path)),
            None => self.without_target(clause),
        }
    }

    fn write_to(&self, clause: &Clause<'_, 'a>, at: Option<usize>, path: String) -> Wish {
        let creates = clause.starts_with_any(CREATING);
        match self.content(clause, at) {
            Content::Text(content) if clause.has(APPENDING) && !creates => Wish::Append { path, content },
            Content::Text(content) => Wish::Write { path, content },
            Content::ToBeComposed => Wish::Compose,
            Content::Elsewhere => Wish::Unknown,
            Content::Missing if creates => Wish::Create(path),
            Content::Missing => Wish::Unclear(Gap::Content),
        }
    }

    fn without_target(&self, clause: &Clause<'_, 'a>) -> Option<Wish> {
        let quoted = clause.items().any(|(_, piece)| piece.token.is_quote());
        let head = clause.head();
        let (_, verb_end) = head.find(WRITING).filter(|(start, _)| *start == 0).unwrap_or((0, 0));
        let content = self.text_of(&head.part(verb_end, head.pieces.len()));
        match content {
            Content::Text(content) if verb_end > 0 && self.created.is_some() => {
                Some(Wish::Write { path: self.created.clone()?, content })
            }
            Content::ToBeComposed => Some(Wish::Compose),
            _ if quoted || (verb_end > 0 && clause.has("文件")) => Some(Wish::Unclear(Gap::File)),
            _ => None,
        }
    }

    /// Where the name of the file stands, and what it is.
    fn target(&self, clause: &Clause<'_, 'a>) -> Option<(Option<usize>, String)> {
        let names: Vec<(usize, &Piece<'a>)> =
            clause.items().filter(|(at, piece)| is_target(clause, *at, piece)).collect();
        let sure = |piece: &Piece<'_>| path::looks_like_path(piece.token.text);
        let into = |at: usize| ends(clause.part(0, at).line(), INTO) || ends(clause.part(0, at).line(), NAMED);
        let chosen = names.iter().rfind(|(at, piece)| sure(piece) && into(*at));
        let chosen = chosen.or_else(|| names.iter().find(|(_, piece)| sure(piece))).or_else(|| names.first());
        if let Some((at, piece)) = chosen {
            let name = piece.token.text;
            let folder =
                clause.items().find(|(other, piece)| other != at && is_folder(piece)).filter(|_| !name.contains('/'));
            let path = folder.map(|(_, folder)| format!("{}/{name}", folder.token.text.trim_end_matches('/')));
            return Some((Some(*at), path.unwrap_or_else(|| name.to_owned())));
        }
        let pronoun = clause.has("到它|进它|它里面|它里|它的末尾|这个文件|该文件|里面写|其中写");
        self.file.clone().filter(|_| pronoun).map(|file| (None, file))
    }

    fn content(&self, clause: &Clause<'_, 'a>, target: Option<usize>) -> Content {
        let quotes = clause.items().filter(|(at, piece)| piece.token.is_quote() && Some(*at) != target);
        if let Some((_, quote)) = quotes.last() {
            return Content::Text(quote.token.text.to_owned());
        }
        let at = target.unwrap_or(0);
        let before = self.content_before(clause, at);
        if !matches!(before, Content::Missing) {
            return before;
        }
        let after = clause.part(if target.is_some() { at + 1 } else { 0 }, clause.pieces.len());
        let Some((start, end)) = after.find(CONNECTORS) else { return Content::Missing };
        let rest = after.part(end, after.pieces.len());
        let announced = after.part(start, end).has("：|:") || rest.line().starts_with(['：', ':']);
        if announced { self.rest_of_text(&rest) } else { self.text_of(&rest) }
    }

    /// `把…写到`, `写…到`: the content stands between.
    fn content_before(&self, clause: &Clause<'_, 'a>, target: usize) -> Content {
        let before = clause.part(0, target);
        let front = before.line().trim_end_matches("文件");
        let into = each(INTO).chain(each("到|进|在")).filter(|word| front.ends_with(word));
        let Some(into) = into.max_by_key(|word| word.len()) else { return Content::Missing };
        let noun = before.line().chars().count() - front.chars().count();
        let end = target.saturating_sub(noun + into.chars().count());
        let before = clause.part(0, end);
        let start = before.find("把|将").or_else(|| before.find(WRITING));
        start.map_or(Content::Missing, |(_, start)| self.text_of(&before.part(start, end)))
    }

    /// The text that these pieces stand for: what is quoted, else what was typed.
    fn text_of(&self, clause: &Clause<'_, 'a>) -> Content {
        let mut start = 0;
        while let Some(word) = longest_lead(&clause.part(start, clause.pieces.len())) {
            start += word;
        }
        let rest = clause.part(start, clause.pieces.len());
        match rest.pieces {
            [] => Content::Missing,
            [quote] if quote.token.is_quote() => Content::Text(quote.token.text.to_owned()),
            _ if is_in(rest.line(), POINTING) => Content::Missing,
            _ if is_to_be_composed(&rest) => Content::ToBeComposed,
            _ if rest.has("的内容|的输出|的结果") && rest.items().next().is_some() => Content::Elsewhere,
            [first, .., last] | [first @ last] => {
                let end = self.end_of_text(last);
                Content::Text(self.text[first.token.start..end].trim().to_owned())
            }
        }
    }

    /// Where the text ends that this is the last piece of: behind marks of emotion, and at the end of a request that is longer than
    /// what was looked at.
    fn end_of_text(&self, last: &Piece<'a>) -> usize {
        let end = last.token.end;
        let rest = &self.text[end..];
        if end == self.seen && !rest.trim().is_empty() {
            return self.text.len();
        }
        end + rest.len() - rest.trim_start_matches(['！', '!', '？', '?']).len()
    }

    /// All that follows, to the end of the request.
    fn rest_of_text(&self, clause: &Clause<'_, 'a>) -> Content {
        let marks = ['：', ':', '\n', ' '];
        let start =
            clause.pieces.iter().position(|piece| !marks.contains(&piece.character)).unwrap_or(clause.pieces.len());
        match &clause.pieces[start..] {
            [] => Content::Missing,
            [quote] if quote.token.is_quote() => Content::Text(quote.token.text.to_owned()),
            [first, ..] => Content::Text(self.text[first.token.start..].trim_end().to_owned()),
        }
    }
}

fn is_folder(piece: &Piece<'_>) -> bool {
    let word = piece.token.text;
    path::look(word) == Look::Folder && (piece.is_name() || path::is_usual_folder(word))
}

/// Whether a name or quote may be that of the file to be written.
fn is_target(clause: &Clause<'_, '_>, at: usize, piece: &Piece<'_>) -> bool {
    let word = piece.token.text;
    let before = clause.part(0, at);
    let named = ends(before.line(), NAMED) || ends(before.line(), CREATING);
    // `写入“…”` is followed by a content as well as by a name.
    let into = ends(before.line(), INTO) && !ends(before.line(), "写入|加入|填入|放入|写在");
    match piece.token.kind {
        Kind::Name => path::look(word) != Look::Folder,
        Kind::Word => named || into || path::is_usual_file(word),
        Kind::Quoted | Kind::Code => path::looks_like_path(word) || named || into,
        _ => false,
    }
}

/// The folder that is to be made.
fn new_folder(clause: &Clause<'_, '_>) -> Option<String> {
    let noun = clause.find("文件夹|目录")?;
    let inside = begins(clause.part(noun.1, clause.pieces.len()).line(), "里|下|中");
    if inside || !clause.starts_with_any(CREATING) {
        return None;
    }
    let item = clause
        .items()
        .find(|(_, piece)| path::look(piece.token.text) != Look::File)
        .map(|(_, piece)| piece.token.text.to_owned());
    item.or_else(|| {
        let (_, start) = clause.find("名为|叫做|名叫|叫")?;
        let name: String = clause.part(start, noun.0).line().trim_end_matches('的').to_owned();
        (!name.is_empty()).then_some(name)
    })
}

/// How many pieces at the beginning only lead up to a content.
fn longest_lead(clause: &Clause<'_, '_>) -> Option<usize> {
    beginning(clause.line(), LEAD_INS).map(|word| word.chars().count())
}

fn is_to_be_composed(clause: &Clause<'_, '_>) -> bool {
    let line = clause.line();
    let counted = "一首|一篇|一个|一段|一封|一份|首|篇|个|段|封|份|几个|三个|些";
    let open = begins(line, counted);
    let noun = ends(line, COMPOSITIONS);
    let always = begins(line, "一首|一篇|一封|首|篇|封");
    always || (open && clause.has(COMPOSITIONS)) || (noun && line.chars().count() <= 6)
}
