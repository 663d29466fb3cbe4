//! What tokens look like.

use std::sync::LazyLock;

use regex::Regex;
use regex_automata::Anchored;
use regex_automata::dfa::dense::{Config, DFA};
use regex_automata::dfa::{Automaton, StartKind};
use regex_automata::util::start;

/// What is secret in a match: its group `s` where it has one, else all of it. The shapes of OpenAI, Anthropic and many others, Google,
/// Groq, xAI, Hugging Face, GitLab, npm, PyPI, GitHub, Slack, AWS, Telegram, Discord, a signed JSON token, a private key; what stands
/// behind `Bearer`, behind a name such as `api_key`, and in front of the host of an address.
///
/// How each begins matters: the end of a text that comes in pieces is held back while it can become one of them, so none begins like
/// every word.
const SHAPES: [&str; 14] = [
    r"(?-u:\b)(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}",
    r"(?-u:\b)AIza[A-Za-z0-9_-]{20,}",
    r"(?-u:\b)(?:gsk_|xai-|hf_|glpat-|npm_|pypi-)[A-Za-z0-9_-]{12,}",
    r"(?-u:\b)gh[pousr]_[A-Za-z0-9]{12,}",
    r"(?-u:\b)github_pat_[A-Za-z0-9_]{12,}",
    r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{8,}",
    r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)",
    r"(?:(?-u:\b)|bot)(?P<s>[0-9]{6,12}:[A-Za-z0-9_-]{20,})",
    r"(?-u:\b)[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?s:.*?)-----END [A-Z ]{0,40}PRIVATE KEY-----",
    r"(?i)(?-u:\b)authorization['\x22]?[ \t]{0,4}[:=][ \t]{0,4}['\x22]?(?:bearer|basic|token)[ \t]{1,4}(?P<s>[A-Za-z0-9._~+/=-]{8,})",
    r"(?i)(?-u:\b)(?:x-api-key|x-goog-api-key|api[_-]?key|access[_-]token|client[_-]secret|aws_secret_access_key)['\x22]?[ \t]{0,4}[:=][ \t]{0,4}['\x22]?(?P<s>[A-Za-z0-9._~+/=-]{8,})",
    r"://(?P<s>[A-Za-z0-9._~%!$&*+,;=-]{0,256}:[A-Za-z0-9._~%!$&*+,;=-]{1,256})@",
];

/// All of them in one: a text without it has no token.
static ANY: LazyLock<Regex> = LazyLock::new(|| {
    let all = SHAPES.map(|shape| format!("(?:{})", shape.replace("?P<s>", "?:")));
    Regex::new(&all.join("|")).expect("the shapes are constant, and a test compiles them")
});

static EACH: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SHAPES.iter().map(|shape| Regex::new(shape).expect("a test compiles them")).collect());

/// Each as a machine that knows whether what it has seen can still become a match, or a longer one.
static PREFIXES: LazyLock<Vec<DFA<Vec<u32>>>> = LazyLock::new(|| SHAPES.iter().map(|shape| prefix_of(shape)).collect());

fn prefix_of(shape: &str) -> DFA<Vec<u32>> {
    let anchored = Config::new().start_kind(StartKind::Anchored);
    DFA::builder().configure(anchored).build(shape).expect("a test compiles them")
}

/// Where a secret stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where that begins by which it was known.
    pub(super) known_from: usize,
}

/// Where tokens stand, from a place on; what is before it is only looked at for the beginning of a word.
pub(super) fn find(text: &str, from: usize) -> Vec<Found> {
    if !ANY.is_match_at(text, from) {
        return Vec::new();
    }
    EACH.iter().flat_map(|shape| of_one(shape, text, from)).collect()
}

fn of_one(shape: &Regex, text: &str, from: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = from;
    while let Some(captures) = shape.captures_at(text, at) {
        let Some(whole) = captures.get(0) else { break };
        let secret = captures.name("s").unwrap_or(whole);
        found.push(Found { start: secret.start(), end: secret.end(), known_from: whole.start() });
        at = whole.end();
    }
    found
}

/// Where the end of a text begins that can still become a token, or a longer one, with what comes behind it.
pub(super) fn open_from(text: &str, from: usize) -> usize {
    let from = from.max(text.len().saturating_sub(LONGEST_OPEN));
    let starts = (from..text.len()).filter(|at| text.as_bytes()[*at].is_ascii());
    starts
        .into_iter()
        .find(|at| PREFIXES.iter().any(|shape| is_open(shape, text.as_bytes(), *at)))
        .unwrap_or(text.len())
}

fn is_open(shape: &DFA<Vec<u32>>, text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| text[before]);
    let config = start::Config::new().anchored(Anchored::Yes).look_behind(before);
    // It only fails for bytes that these machines do not give up on.
    let Ok(mut state) = shape.start_state(&config) else { return false };
    for byte in &text[at..] {
        state = shape.next_state(state, *byte);
        if shape.is_dead_state(state) {
            return false;
        }
    }
    true
}

/// What is longer than this is no token, and let go.
const LONGEST_OPEN: usize = 20 * 1024;
