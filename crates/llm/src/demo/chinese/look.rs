//! Wishes to see what is in a folder or a file.

use super::super::lexer::{Kind, is_han};
use super::super::lists::{beginning, begins, each, ends, is_in};
use super::super::path::{self, Look};
use super::super::wish::{Gap, Unit, Wish};
use super::Request;
use super::clause::Clause;
use super::pieces::{ITEM, Piece};
use super::vocabulary::{ABOUT_PLACES, FILLERS, LISTING, READING};

/// A file or folder that a clause names.
pub(super) struct Named {
    pub(super) path: String,
    /// Whether it was named in passing, so that its exact name is to be found out.
    is_loose: bool,
}

const PLACES: &str =
    "目录|文件夹|这里|这儿|此处|里面|里边|当前|工作区|项目里|项目中|项目下|仓库里|本地|工作空间|工作目录";

const CONTENTS: &str =
    "有什么|有些什么|有啥|有些啥|有哪些|有没有|哪些|内容|列表|清单|多少|几个|都有|情况|东西|所有|全部";

/// What asks for the content of a file.
const ASKING: &str = "内容|写了什么|写了些什么|写了啥|写的什么|写的是什么|写的啥|写着什么|写着啥|说了什么|说什么|说的什么|讲了什么|\
     讲什么|有什么|有啥|有些什么|是什么|里面是|怎么写的|什么样|全文";

impl<'a> Request<'a> {
    /// The files and folders that are named.
    pub(super) fn files(&self, clause: &Clause<'_, 'a>) -> Vec<Named> {
        let named = clause.items().filter_map(|(at, piece)| as_named(clause, at, piece));
        let mut named: Vec<Named> = named.collect();
        let pronoun = clause.has("它|这个文件|该文件|那个文件");
        if let Some(file) = self.file.as_deref().filter(|_| named.is_empty() && pronoun) {
            named.push(Named { path: file.to_owned(), is_loose: false });
        }
        named
    }

    /// `看看 …`, `… 里有什么`, `列出 …`.
    pub(super) fn look(&self, clause: &Clause<'_, 'a>) -> Option<Vec<Wish>> {
        let lists = clause.starts_with_any(LISTING) || clause.has("列出|列一下");
        let folder = folder(clause);
        let files = self.files(clause);
        let readable = files.iter().any(|file| path::look(&file.path) != Look::Folder) && folder.is_none();
        let reads =
            clause.starts_with_any(READING) || clause.has(ASKING) || clause.items().count() == clause.pieces.len();
        if readable && !lists && (reads || clause.begins_after_object(READING)) {
            let firm = clause.starts_with_any("读|念");
            return Some(files.into_iter().map(if firm { read } else { show }).collect());
        }
        if self.is_about_place(clause, folder.as_deref()) {
            return Some(vec![Wish::List(folder.unwrap_or_else(|| ".".into()))]);
        }
        let only = clause.items().next().filter(|(_, piece)| lists && piece.token.kind == Kind::Word);
        if let Some((_, piece)) = only.filter(|_| clause.items().count() == 1 && strange(clause.line(), "") == 0) {
            return Some(vec![Wish::Find(piece.token.text.to_owned())]);
        }
        if lists && !files.is_empty() {
            return Some(files.into_iter().map(|file| Wish::List(file.path)).collect());
        }
        let again = self.file.clone().filter(|_| clause.starts_with_any(READING) && strange(clause.line(), "") == 0);
        if let Some(file) = again.filter(|_| clause.items().next().is_none()) {
            return Some(vec![Wish::Read(file)]);
        }
        let asks_for_file = clause.starts_with_any("读|打开|查看|显示") && clause.has("文件");
        asks_for_file.then(|| vec![Wish::Unclear(Gap::File)])
    }

    /// `a.txt 有多少行`.
    pub(super) fn count(&self, clause: &Clause<'_, 'a>) -> Option<Vec<Wish>> {
        let units = [
            ("多少行|几行|行数", Unit::Lines),
            ("多少个单词|多少单词|单词数|词数", Unit::Words),
            ("多少字|多少个字|几个字|字数|多少字符|字符数", Unit::Characters),
        ];
        let (_, unit) = units.into_iter().find(|(words, _)| clause.has(words))?;
        let files = self.files(clause);
        (!files.is_empty()).then(|| files.into_iter().map(|file| Wish::Count { path: file.path, unit }).collect())
    }

    /// Whether a clause speaks of a place, asks what is there, and of nothing else.
    fn is_about_place(&self, clause: &Clause<'_, 'a>, folder: Option<&str>) -> bool {
        let files = clause.has("文件");
        let place = folder.is_some() || clause.has(PLACES);
        let asks = clause.has(CONTENTS) || clause.starts_with_any(READING) || clause.starts_with_any(LISTING);
        let lists = clause.starts_with_any(LISTING) || clause.has("有哪些|列表|有什么|所有|哪些|列出");
        let listed = folder.is_some() && clause.starts_with_any(LISTING);
        let bare = clause.items().count() == clause.pieces.len() && folder.is_some();
        let strange = strange(clause.line(), folder.unwrap_or_default());
        let room = if place && (files || clause.has("目录|文件夹")) { 2 } else { 0 };
        let named = place && clause.has("目录|文件夹") && strange == 0;
        let only_listed = clause.starts_with_any(LISTING) && clause.items().next().is_none() && strange == 0;
        strange <= room && (only_listed || named || (place && asks) || (files && lists) || listed || bare)
    }
}

fn as_named(clause: &Clause<'_, '_>, at: usize, piece: &Piece<'_>) -> Option<Named> {
    let word = piece.token.text;
    if piece.is_name() {
        return Some(Named { path: word.to_owned(), is_loose: false });
    }
    let usual = path::is_usual_file(word) || path::is_usual_folder(word);
    let before = clause.part(0, at);
    let after = clause.part(at + 1, clause.pieces.len());
    let introduced = ends(before.line(), READING) || ends(before.line(), "文件|叫|名为");
    let placed = begins(after.line(), "里|中|下|目录|文件夹|文件");
    let alone = clause.items().count() == 1;
    (usual || ((introduced || placed) && alone))
        .then(|| Named { path: word.to_owned(), is_loose: !path::is_usual_folder(word) })
}

/// The folder that a clause is about: a name that is called one, the name of one, or one of the usual places.
fn folder(clause: &Clause<'_, '_>) -> Option<String> {
    let above = clause.has("上级|上一级|上层目录|父目录").then_some("..");
    let home = clause.has("主目录|家目录").then_some("~");
    let root = clause.has("根目录").then_some("/");
    let named = || {
        clause.items().find_map(|(at, piece)| {
            let after = clause.part(at + 1, clause.pieces.len());
            let nouns = "目录|文件夹|这个目录|这个文件夹|子目录";
            let before = clause.part(0, at);
            let holds = piece.is_name() && clause.has("什么文件|哪些文件|多少文件|几个文件|文件列表|有文件");
            let called = begins(after.line(), nouns) || ends(before.line(), "目录|文件夹") || holds;
            let is_folder = path::look(piece.token.text) == Look::Folder
                && (piece.is_name() || path::is_usual_folder(piece.token.text));
            let inside = begins(after.line(), "里|下|中") && path::look(piece.token.text) != Look::File;
            (called || is_folder || inside).then(|| piece.token.text.to_owned())
        })
    };
    let usual = above.or(home).or(root).map(str::to_owned);
    usual.or_else(named).or_else(|| han_folder(clause.line()))
}

/// The name that stands before "folder": `照片文件夹里有什么`.
fn han_folder(line: &str) -> Option<String> {
    let end = each("文件夹|目录").filter_map(|noun| line.find(noun)).min()?;
    let mut name = &line[..end];
    let lead = |name: &str| {
        [FILLERS, READING, LISTING, ABOUT_PLACES]
            .into_iter()
            .filter_map(|words| beginning(name, words))
            .max_by_key(|word| word.len())
    };
    while let Some(word) = lead(name) {
        name = &name[word.len()..];
    }
    let known = "子|主|根|父|上级|工作|项目|什么|哪个|这个";
    let is_name = !name.is_empty() && name.chars().all(is_han) && name.chars().count() <= 8 && !is_in(name, known);
    is_name.then(|| name.to_owned())
}

/// How many characters of a clause mean something beyond a place and what is in it.
fn strange(line: &str, folder: &str) -> usize {
    let line = line.replace(folder, "");
    let mut rest = line.as_str();
    let mut strange = 0;
    while let Some(first) = rest.chars().next() {
        let known =
            [ABOUT_PLACES, FILLERS, READING].into_iter().filter_map(|words| beginning(rest, words)).map(str::len).max();
        strange += usize::from(known.is_none() && is_han(first));
        rest = &rest[known.unwrap_or(first.len_utf8())..];
    }
    strange + line.matches(ITEM).count().saturating_sub(1) * 3
}

/// The wish to see what is in it, if it is to be a file.
pub(super) fn read(named: Named) -> Wish {
    match path::look(&named.path) {
        Look::Folder => Wish::List(named.path),
        _ if named.is_loose => Wish::Find(named.path),
        _ => Wish::Read(named.path),
    }
}

/// The wish to see what is in it, whatever it is.
fn show(named: Named) -> Wish {
    match path::look(&named.path) {
        Look::Either if !named.is_loose => Wish::Look(named.path),
        _ => read(named),
    }
}
