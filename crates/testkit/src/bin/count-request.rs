//! Builds a request with as many earlier messages as the argument says, for the guard of instruction counts. It is built twenty times, so
//! that making the messages is a small part of what is counted.

use std::sync::Arc;

use chat::{Block, Message, Role, ToolSpec};
use llm::{Endpoint, Format, ModelName, ModelRequest, Quirks, request_bytes};
use serde_json::json;

fn main() {
    let messages = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).expect("a number of messages");
    let (endpoint, request) = (endpoint(), request(messages));

    let sizes: Vec<usize> = (0..20).map(|_| request_bytes(&endpoint, &request).len()).collect();

    assert!(sizes.iter().all(|size| *size == sizes[0] && *size > messages * 50), "{sizes:?}");
}

fn endpoint() -> Endpoint {
    Endpoint {
        name: ModelName { vendor: "openai".into(), model: "m".into() },
        format: Format::OpenAi,
        base_url: "http://127.0.0.1/v1".into(),
        key: None,
        quirks: Quirks::NONE,
        window: None,
        max_output: Some(4096),
        effort: None,
        headers: Vec::new(),
    }
}

/// A history in which every second turn called a tool, and a question after it. Where it is cut it ends with an answer for all
/// of the numbers that are counted.
fn request(messages: usize) -> ModelRequest {
    let turns = [
        Message::user("what is in this folder, and how large is it? "),
        calls(0),
        results(0),
        Message::assistant("It holds a README and two folders, \"src\" and \"tests\"; 12 kB in all.\n"),
        Message::user("谢谢，那么测试呢？"),
        Message::assistant("They are in `tests`, a file for each part of the program."),
    ];
    let mut history: Vec<Arc<Message>> = (0..messages).map(|at| message(&turns, at)).collect();
    history.push(Arc::new(Message::user("and now?")));
    let tools = ["ls", "read", "write", "bash"].map(tool);
    ModelRequest { system: "You help. ".repeat(400).into(), messages: history, tools: Arc::new(tools), nudge: None }
}

/// The message at this place; calls have ids of their own.
fn message(turns: &[Message], at: usize) -> Arc<Message> {
    Arc::new(match at % turns.len() {
        1 => calls(at / turns.len()),
        2 => results(at / turns.len()),
        place => turns[place].clone(),
    })
}

fn calls(turn: usize) -> Message {
    let input = json!({"path": ".", "hidden": true});
    let call = Block::ToolUse { id: format!("call_{turn}"), name: "ls".into(), input, provider: None };
    Message { role: Role::Assistant, blocks: vec![Block::text("Let me look."), call] }
}

fn results(turn: usize) -> Message {
    let content = "README.md\t4096\nsrc/\ntests/\n".repeat(10);
    let result = Block::ToolResult { tool_use_id: format!("call_{turn}"), content, is_error: false };
    Message { role: Role::User, blocks: vec![result] }
}

fn tool(name: &str) -> ToolSpec {
    let properties = json!({"path": {"type": "string", "description": "A path below the working folder."}});
    ToolSpec {
        name: name.to_owned(),
        description: "Does what its name says, and tells what came of it. ".repeat(4),
        parameters: json!({"type": "object", "properties": properties, "required": ["path"]}),
    }
}
