//! Names in the words of a person that only the working folder can tell: with spaces in them, or of words that a sentence has too.

use super::answer::entries;
use super::lexer::is_han;
use super::lists::{each, is_in};
use super::path;

/// Words that a sentence says of any folder; as a name they are one only in quotes.
const GENERIC: &str = "目录|文件|文件夹|当前目录|当前文件夹|列表|内容|这里|项目|名字";

/// The longest entry of a listing that a text names, if it is written as only a name with spaces or Chinese characters is.
pub(super) fn entry(listing: &str, text: &str) -> Option<String> {
    let is_particular = |name: &str| {
        let bare = name.trim_end_matches('/');
        (bare.contains(' ') || bare.chars().any(is_han)) && bare.chars().count() > 1 && !is_in(bare, GENERIC)
    };
    let named = entries(listing).filter(|name| is_particular(name) && text.contains(name.trim_end_matches('/')));
    named.max_by_key(|name| name.len()).map(str::to_owned)
}

/// The entry of a listing that a text names and that ends with this name.
pub(super) fn longer(listing: &str, text: &str, name: &str) -> Option<String> {
    let longer = |entry: &&str| entry.len() > name.len() && entry.ends_with(name) && text.contains(entry);
    entries(listing).filter(longer).max_by_key(|entry| entry.len()).map(str::to_owned)
}

/// Whether a text that was not understood asks for something that may be in the working folder.
pub(super) fn may_name_entry(text: &str) -> bool {
    let asks = "里有什么|里有啥|里面有|里有哪些|打开|列出|查看|看看|看一下|读取|读一下|open |show |list |read |what is in |what's in |look in";
    each(asks).any(|words| text.to_lowercase().contains(words))
}

/// Words before a name that are not of it.
const LEADS: &str = "read|open|show|cat|me|the|file|of|in|to|into|from|at|with|called|named|as|view|print|display|see|check|look|and|then|\
     create|make|touch|write|append|add|edit|a|an|new|run|contents|content|this|that|is|has|have|does|do|what's|inside|on|onto|\
     for|please|out|empty|text|data|line|lines|it|document|folder|directory|ls|list|wc|head|tail|less|more|type|save|put|\
     store|name|are|was|python|python3|bash|sh|node|count|words|characters|over|overwrite|replace|read:|file:|through|via|\
     about|like|or|but|also|summarize|summarise|explain|translate|use|using|output|result|results|markdown|readme|script|you|\
     contain|contains|there|here|now|just|up|everything|within|under";

/// Characters behind which a name begins.
const CHINESE_LEADS: &str = "到入进在为成叫把取看开读写出示查往向给览印建个份将和与下，。：、是对";

/// Whether what stands before a name may belong to it.
pub(super) fn is_doubtful(text: &str, name: &str) -> bool {
    let Some(before) = before(text, name) else { return false };
    match before.chars().next_back() {
        Some(c) if is_han(c) => !CHINESE_LEADS.contains(c),
        Some(' ') => word_before(before).is_some_and(|word| !is_in(&word, LEADS)),
        _ => false,
    }
}

/// What stands before a name that was not set apart and has no folder.
fn before<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let is_plain = !name.contains('/') && path::extension(name).is_some();
    is_plain.then(|| text.find(name)).flatten().map(|at| &text[..at])
}

/// The English word at the end of a text.
fn word_before(text: &str) -> Option<String> {
    let word = text.trim_end().rsplit(char::is_whitespace).next()?.to_lowercase();
    (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_by_its_whole_name() {
        let listing = "src/\n空目录/\n文件.txt\nmy notes.txt\n目录/\nlink -> x";

        assert_eq!(entry(listing, "空目录里有什么？").as_deref(), Some("空目录/"));
        assert_eq!(entry(listing, "show me my notes.txt").as_deref(), Some("my notes.txt"));
        assert_eq!(entry(listing, "列出当前目录"), None);
        assert_eq!(entry(listing, "what is in src?"), None);
    }

    #[test]
    fn words_before_a_name_may_belong_to_it() {
        assert_eq!(
            longer("notes.txt\nmy notes.txt", "read my notes.txt", "notes.txt").as_deref(),
            Some("my notes.txt")
        );
        assert!(is_doubtful("read my notes.txt", "notes.txt"));
        assert!(is_doubtful("读一下我的文件.txt", "文件.txt"));
        assert!(!is_doubtful("read the file a.txt", "a.txt") && !is_doubtful("写到文件.txt", "文件.txt"));
    }
}
