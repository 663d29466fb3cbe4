//! What the machine says to people, in each of its languages.

use chat::{ErrorClass, Language, ModelError};

use crate::wording::ForPeople;

const CLASSES: [ErrorClass; 14] = [
    ErrorClass::Network,
    ErrorClass::Timeout,
    ErrorClass::Truncated,
    ErrorClass::Empty,
    ErrorClass::RateLimited,
    ErrorClass::Overloaded,
    ErrorClass::Server,
    ErrorClass::Protocol,
    ErrorClass::Auth,
    ErrorClass::Quota,
    ErrorClass::Overflow,
    ErrorClass::MalformedHistory,
    ErrorClass::BadRequest,
    ErrorClass::ContentFilter,
];

fn errors() -> Vec<ModelError> {
    CLASSES.map(|class| ModelError { retry_after_ms: Some(17_000), ..ModelError::new(class, "cause") }).to_vec()
}

/// Each text, and what it has to mention.
fn texts(errors: &[ModelError]) -> Vec<(ForPeople<'_>, &'static [&'static str])> {
    let mut texts: Vec<(ForPeople<'_>, &[&str])> = vec![
        (ForPeople::Stopped, &[]),
        (ForPeople::CutOff, &[]),
        (ForPeople::Filtered, &[]),
        (ForPeople::OnlyThought, &[]),
        (ForPeople::NoAnswer, &[]),
        (ForPeople::WentInCircles, &[]),
        (ForPeople::StepsUsedUp { steps: 42 }, &["42"]),
        (ForPeople::HistoryLeftOut, &[]),
        (ForPeople::Waiting { ms: 45_000 }, &["45"]),
        (ForPeople::Waiting { ms: 600_000 }, &["10"]),
        (ForPeople::Waiting { ms: 86_400_000 }, &["24"]),
        (ForPeople::Interrupted { reason: "cause" }, &["cause"]),
        (ForPeople::CallInterrupted { call: "pay {}" }, &["pay {}"]),
        (ForPeople::ThoughtCut { left_out: 912 }, &["912"]),
    ];
    texts.extend(errors.iter().map(|error| (ForPeople::ModelFailed { error }, ["cause", "17"].as_slice())));
    texts
}

#[test]
fn every_text_exists_in_both_languages_and_mentions_what_matters() {
    for (text, mentions) in texts(&errors()) {
        let (english, chinese) = (text.text(Language::English), text.text(Language::Chinese));

        let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        assert!(!english.contains(is_chinese) && english.chars().any(|c| c.is_ascii_lowercase()), "{english}");
        assert!(chinese.contains(is_chinese), "{chinese}");
        for mention in mentions {
            assert!(english.contains(mention), "{english} lacks {mention}");
            assert!(chinese.contains(mention), "{chinese} lacks {mention}");
        }
    }
}

#[test]
fn no_two_texts_of_a_language_are_the_same() {
    for language in [Language::English, Language::Chinese] {
        let errors = errors();
        let mut said: Vec<String> = texts(&errors).into_iter().map(|(text, _)| text.text(language)).collect();
        let count = said.len();
        said.sort();
        said.dedup();

        assert_eq!(said.len(), count);
    }
}

#[test]
fn an_error_without_words_leaves_no_empty_brackets() {
    let error = ModelError::new(ErrorClass::Network, " ");

    assert_eq!(ForPeople::ModelFailed { error: &error }.text(Language::English), "The model could not be reached.");
}
