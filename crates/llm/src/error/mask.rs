//! Masking of secrets in what servers and libraries say.

const MASK: &str = "***";

/// What keys begin with: OpenAI and many others, Anthropic, Google, Groq, xAI, Hugging Face, GitHub, Slack.
const PREFIXES: [&str; 13] =
    ["sk-", "sk_", "pk-", "pk_", "rk_", "AIza", "gsk_", "xai-", "hf_", "ghp_", "github_pat_", "xoxb-", "xoxp-"];

/// Names behind which a secret stands (`api_key=…`, `x-api-key: …`).
const NAMES: [&str; 8] =
    ["api_key", "api-key", "apikey", "x-api-key", "x-goog-api-key", "access_token", "password", "secret"];

/// Takes out of a text `secrets`, and what looks like one: keys, bearer tokens, bot tokens, what follows a name such as `api_key`,
/// the query and the user of an address.
pub(crate) fn mask(text: &str, secrets: &[&str]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, MASK);
    }
    mask_words(&mask_addresses(&text))
}

/// Masks user and query of every address.
fn mask_addresses(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("://") {
        let (before, address) = rest.split_at(start + 3);
        masked.push_str(before);
        let end = address.find(|c: char| c.is_whitespace() || "\"'<>`)".contains(c)).unwrap_or(address.len());
        let (address, after) = address.split_at(end);
        let (path, query) = address.split_once('?').map_or((address, ""), |(path, _)| (path, "?***"));
        let authority = path.split('/').next().unwrap_or_default();
        match authority.rfind('@') {
            Some(at) => masked.extend([MASK, &path[at..], query]),
            None => masked.extend([path, query]),
        }
        rest = after;
    }
    masked + rest
}

fn mask_words(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    let mut expected = Expected::Anything;
    while !rest.is_empty() {
        let start = rest.find(is_word_char).unwrap_or(rest.len());
        let (between, tail) = rest.split_at(start);
        let (word, after) = tail.split_at(tail.find(|c| !is_word_char(c)).unwrap_or(tail.len()));
        masked.push_str(between);
        masked.push_str(if is_secret(word) || expected.is_met_by(between, word) { MASK } else { word });
        expected = Expected::after(word, after);
        rest = after;
    }
    masked
}

/// What may come after a word.
enum Expected {
    Anything,
    /// A token behind `Bearer`.
    Token,
    /// A value behind a name.
    Value,
    /// The second half of a bot token behind its number.
    BotToken,
}

impl Expected {
    fn after(word: &str, rest: &str) -> Self {
        let is_assigned = rest.trim_start_matches(['"', '\'', ' ']).starts_with([':', '=']);
        let digits = word.strip_prefix("bot").unwrap_or(word);
        if ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) {
            Self::Token
        } else if is_assigned && NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)) {
            Self::Value
        } else if digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            Self::BotToken
        } else {
            Self::Anything
        }
    }

    fn is_met_by(&self, between: &str, word: &str) -> bool {
        match self {
            Self::Anything => false,
            Self::Token => between.trim().is_empty() && word.len() >= 8,
            Self::Value => between.chars().all(|c| " :=\"'".contains(c)),
            Self::BotToken => between == ":" && word.len() >= 6,
        }
    }
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || "-_.~*+%".contains(c)
}

fn is_secret(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(|rest| rest.len() >= 4))
}
