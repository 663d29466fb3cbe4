//! Small talk, who are you, and what can you do.

use super::super::lexer::Kind;
use super::super::lists::begins;
use super::super::wish::Wish;
use super::words::{self, Word, after_any, has_any};

const GREETINGS: &str = "hi|hello|hey|howdy|yo|greetings|hiya|hola|good morning|good afternoon|good evening|good day|morning|how are you|\
     how is it going|what is up|nice to meet you|are you there|anyone there|anybody there|how do you do|sup|you there";

const THANKS: &str = "thanks|thank you|cheers|much appreciated|i appreciate it|well done";

const GOODBYES: &str = "bye|goodbye|good bye|see you|see you later|good night|farewell|take care|that is all";

/// Words that may surround a courtesy.
const AROUND: &str = "there|bot|cowhand|friend|buddy|everyone|all|again|my|dear|world|mate|robot|today|you|doing|very|much|so|a|lot|\
     for|your|the|that|help|great|nice|cool|perfect|awesome|ok|okay|now|oh|and|is|it|to|meet|later|tomorrow|then|\
     soon|works|good";

const WHO: &str = "who are you|what are you|what is your name|your name|who am i talking to|who am i speaking to|\
     who am i chatting with|who is this|who is there|are you chatgpt|are you gpt|are you claude|are you gemini|\
     are you deepseek|are you a bot|are you a robot|are you human|are you a human|are you real|are you a real|\
     are you an ai|are you ai|are you a person|are you a machine|are you a language model|are you an llm|\
     are you a model|are you the demo|are you a demo|introduce yourself|about yourself|about you|describe yourself|\
     identify yourself|which model|what model|what llm|what ai|which ai|which llm|who made you|who created you|\
     who built you|who wrote you|who developed you|what is cowhand|who is cowhand|what kind of|is this a demo|\
     is this a bot|am i talking to|what should i call you|is this chatgpt|is this gpt|is this an ai|is this ai|\
     is this a robot|is this a model|is this claude|who am i speaking|who am i talking|who am i chatting|\
     do you have a name|what exactly are you|who you are|what you are";

const HELP: &str = "what can you do|what can you help|what do you do|what else can you|what are you able to|what are you good at|\
     what are you capable of|what are you for|your capabilities|your abilities|your skills|your features|\
     your functions|your tools|how do i use|how can i use|how does this work|how does it work|how do you work|\
     how to use|how can you help|how could you help|what can i do|what can i ask|what can i say|what can i type|\
     what should i|what am i supposed to|can you help me|could you help me|i need help|need some help|what commands|\
     which commands|what tools|which tools|how do i connect|how do i set up|how do i configure|real model|api key|\
     get started|getting started|what you can do|what is possible|how do i start|my options|things can you do|\
     things you can do|what all can you do|able to do for me|what can this|what does this do|what do you understand|\
     your commands|what can it do";

const HELP_ALONE: &str = "help|help me|commands|usage|instructions|manual|options|capabilities|features|tools|menu|examples|give me help|\
     show help|show me help|get help|more help|some help";

/// What a clause is when it is no work.
pub(super) fn small_talk(words: &[Word<'_>]) -> Option<Wish> {
    let named = |word: &Word<'_>| word.kind == Kind::Name || word.token.is_quote();
    if words.is_empty() || words.iter().any(named) {
        return None;
    }
    let plain: Vec<Word<'_>> = words.iter().filter(|word| word.kind != Kind::Mark).cloned().collect();
    let plain = plain.as_slice();
    let whole = |phrases: &str| after_any(plain, phrases).is_some_and(<[_]>::is_empty);
    if has_any(plain, HELP) || whole(HELP_ALONE) {
        Some(Wish::Help)
    } else if is_courtesy(plain, GREETINGS) {
        Some(Wish::Greet)
    } else if is_asked_for_brand(plain)
        || has_any(plain, WHO) && !has_any(plain, "what are you doing|what are you waiting")
    {
        Some(Wish::Introduce)
    } else if is_courtesy(plain, THANKS) {
        Some(Wish::Thank)
    } else {
        is_courtesy(plain, GOODBYES).then_some(Wish::Leave)
    }
}

/// `are you GPT-4?`
fn is_asked_for_brand(words: &[Word<'_>]) -> bool {
    let brands = "gpt|chatgpt|claude|gemini|deepseek|qwen|kimi|llama|mistral|grok|copilot|siri|alexa";
    let rest = after_any(words, "are you|is this|are you really|are you a|is that");
    rest.and_then(<[_]>::first).is_some_and(|word| begins(&word.lower, brands))
}

/// Whether one of the phrases is in it, and nothing else that means something.
fn is_courtesy(words: &[Word<'_>], phrases: &str) -> bool {
    let mut rest = words;
    let mut found = false;
    while let Some(first) = rest.first() {
        if let Some(shorter) = after_any(rest, phrases) {
            (rest, found) = (shorter, true);
        } else if first.is_one_of(AROUND) {
            rest = &rest[1..];
        } else {
            return false;
        }
    }
    found
}

/// Whether it asks for the result of what was just asked for, which is shown anyway: `and show me the output`.
pub(super) fn is_about_result(words: &[Word<'_>]) -> bool {
    let core = words::without_lead(words::without_tail(words));
    let verbs = "show|tell|give|print|display|report|let|see|share|paste|post|send";
    let nouns = "output|result|results|outcome|answer|response";
    let named = |word: &Word<'_>| word.kind == Kind::Name || word.token.is_quote();
    let asks = core.first().is_some_and(|word| word.is_one_of(verbs));
    let what = after_any(core, "what it says|what it prints|what happens|what it returns|what you get");
    what.is_some() || (asks && !core.iter().any(named) && core.iter().any(|word| word.is_one_of(nouns)))
}

/// Whether a clause asks if something can be done: `can you read`.
pub(super) fn asks_for_ability(words: &[Word<'_>]) -> bool {
    after_any(words, "can you|could you|are you able to|do you").is_some()
}
