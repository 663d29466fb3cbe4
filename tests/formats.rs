//! The real client against a server that is as strict as the real services, in each of their formats.

use std::sync::Arc;

use chat::{ErrorClass, Message, ModelError};
use futures_util::StreamExt;
use llm::{
    ChatModel, Client, Deadlines, Effort, Endpoint, Format, HttpModel, Key, ModelName, ModelRequest, Quirks, ReplyEvent,
};
use serde_json::json;
use testkit::{ProbeTool, ScriptedModel, Step};

use crate::support::Bot;

const FORMATS: [Format; 3] = [Format::OpenAi, Format::Anthropic, Format::Gemini];

/// A model that thinks, behind the server.
fn model(server: &ScriptedModel, format: Format) -> Arc<dyn ChatModel> {
    let base_url = match format {
        Format::OpenAi => server.openai_url(),
        Format::Anthropic => server.anthropic_url(),
        Format::Gemini => server.gemini_url(),
    };
    let endpoint = Endpoint {
        name: ModelName { vendor: format.name().into(), model: "scripted".into() },
        format,
        base_url,
        key: Some(Key::new(server.key())),
        quirks: Quirks::NONE,
        window: None,
        max_output: Some(8192),
        effort: Some(Effort::Medium),
        headers: Vec::new(),
    };
    let client = Client::new(&Deadlines::default()).expect("connections can be set up");
    Arc::new(HttpModel::new(endpoint, client))
}

async fn last_event(model: &dyn ChatModel, text: &str) -> ReplyEvent {
    let messages = vec![Arc::new(Message::user(text))];
    let request = ModelRequest { system: "You are a test.".into(), messages, tools: Arc::new([]), nudge: None };
    model.ask(request).fold(None, async |_, event| Some(event)).await.expect("a stream has an end")
}

#[tokio::test]
async fn turns_with_thinking_and_tools_are_taken_in_every_format() {
    for format in FORMATS {
        let server = ScriptedModel::start().await;
        let look = |path: &str| ("look", json!({"path": path}));
        let thinks = Step::reasoning("let me see").then_text("I look.").then_calls([look("."), look("src")]);
        server.script([thinks, Step::calls([look("tests")]), Step::text("eight files"), Step::text("any time")]);
        let tool = ProbeTool::new("look").requires(&["path"]).returns("four files");
        let mut bot = Bot::with(model(&server, format)).tool(tool.tool()).start().await;

        bot.says("what is here?");
        bot.hears("eight files").await;
        bot.says("thank you");
        bot.hears("any time").await;

        let last = server.request(4).await;
        assert_eq!(last.tool_results(), ["four files"; 3], "{format:?}");
        assert_eq!(last.turn_text().lines().next(), Some("thank you"), "{format:?}: {}", last.transcript());
        assert_eq!(last.tool_names(), ["look"], "{format:?}");
        bot.ends().await;
        server.finish();
    }
}

#[tokio::test]
async fn what_a_service_refuses_is_understood_in_every_format() {
    let classes = [
        (Step::status(401), ErrorClass::Auth),
        (Step::no_quota(), ErrorClass::Quota),
        (Step::retry_after(429, 7), ErrorClass::RateLimited),
        (Step::status(503), ErrorClass::Overloaded),
        (Step::status(500), ErrorClass::Server),
        (Step::overflow(), ErrorClass::Overflow),
        (Step::malformed_history(), ErrorClass::MalformedHistory),
        (Step::status(404), ErrorClass::BadRequest),
    ];
    for format in FORMATS {
        let server = ScriptedModel::start().await;
        server.script(classes.iter().map(|(step, _)| step.clone()));
        let model = model(&server, format);

        for (step, class) in &classes {
            let ReplyEvent::Failed { error, .. } = last_event(&*model, "hello").await else {
                panic!("{format:?} {step:?} was taken for a reply");
            };

            assert_eq!(error.class, *class, "{format:?} {step:?}: {error}");
            let pause = (*class == ErrorClass::RateLimited).then_some(7000);
            assert_eq!(error.retry_after_ms, pause, "{format:?} {step:?}");
        }
        server.finish();
    }
}

#[tokio::test]
async fn what_breaks_on_the_way_keeps_its_beginning_in_every_format() {
    let breaks = [
        (Step::cut_after("half"), ErrorClass::Network),
        (Step::ends_after("half"), ErrorClass::Truncated),
        (Step::text("half").then_error(ErrorClass::Server).unfinished(), ErrorClass::Server),
    ];
    for format in FORMATS {
        let server = ScriptedModel::start().await;
        server.script(breaks.iter().map(|(step, _)| step.clone()));
        let model = model(&server, format);

        for (step, class) in &breaks {
            let ReplyEvent::Failed { error: ModelError { class: found, message, .. }, partial } =
                last_event(&*model, "hello").await
            else {
                panic!("{format:?} {step:?} was taken for whole");
            };

            assert_eq!((found, partial.as_str()), (*class, "half"), "{format:?} {step:?}: {message}");
        }
        server.finish();
    }
}

#[tokio::test]
async fn a_reply_that_nobody_wants_any_more_is_hung_up_on() {
    for format in FORMATS {
        let server = ScriptedModel::start().await;
        server.script([Step::stall_after("half")]);
        let messages = vec![Arc::new(Message::user("hello"))];
        let request = ModelRequest { system: "".into(), messages, tools: Arc::new([]), nudge: None };

        let mut stream = model(&server, format).ask(request);
        assert_eq!(stream.next().await, Some(ReplyEvent::Text("half".into())), "{format:?}");
        drop(stream);

        server.await_hangup(1).await;
        server.finish();
    }
}
