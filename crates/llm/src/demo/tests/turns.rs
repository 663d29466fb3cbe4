//! Whole turns: a request, the calls, the answer.

use std::sync::Arc;

use chat::{Arguments, Block, Finish, Message, Reply, Role, ToolSpec};
use futures_util::{FutureExt, StreamExt};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{ChatModel, DemoModel, ModelRequest, ReplyEvent};

/// The tools of these names, each with the arguments that it has.
fn tools(names: &str) -> Arc<[ToolSpec]> {
    let properties = |name: &str| match name {
        "write" => json!({ "path": {}, "content": {} }),
        "bash" => json!({ "command": {}, "timeout": {} }),
        _ => json!({ "path": {} }),
    };
    let spec = |name: &str| ToolSpec {
        name: name.into(),
        description: String::new(),
        parameters: json!({ "type": "object", "properties": properties(name) }),
    };
    names.split_whitespace().map(spec).collect()
}

fn request(messages: Vec<Message>, names: &str) -> ModelRequest {
    let messages = messages.into_iter().map(Arc::new).collect();
    ModelRequest { system: "".into(), messages, tools: tools(names), nudge: None }
}

/// Asks the demo model; what it streams is what it replies.
fn ask(request: ModelRequest) -> Reply {
    let events: Vec<ReplyEvent> = DemoModel::new().ask(request).collect().now_or_never().expect("it waits for nothing");
    let (last, pieces) = events.split_last().expect("it ends with an event");
    let ReplyEvent::Finished(reply) = last else { panic!("it ends otherwise: {last:?}") };
    let streamed: String =
        pieces.iter().map(|piece| if let ReplyEvent::Text(text) = piece { text } else { "?" }).collect();
    assert_eq!(streamed, reply.text);
    reply.clone()
}

/// A dialogue with the demo model, with the results that its calls are given.
struct Dialogue {
    messages: Vec<Message>,
    tools: &'static str,
}

impl Dialogue {
    fn new(tools: &'static str) -> Self {
        Self { messages: Vec::new(), tools }
    }

    /// Says something, and answers each call by these results in order.
    fn say(&mut self, text: &str, results: &[Result<&str, &str>]) -> String {
        self.messages.push(Message::user(text));
        for result in results {
            self.answer_call(*result);
        }
        let reply = ask(request(self.messages.clone(), self.tools));
        assert_eq!((reply.finish, &reply.calls[..], reply.usage), (Some(Finish::Stop), &[][..], None));
        self.messages.push(Message::assistant(&reply.text));
        reply.text
    }

    /// The call it makes next, written as `tool {arguments}`.
    fn call(&self) -> String {
        let reply = ask(request(self.messages.clone(), self.tools));
        let [call] = &reply.calls[..] else { panic!("it made no call: {}", reply.text) };
        let Arguments::Object(arguments) = &call.arguments else { panic!("the arguments are an object") };
        format!("{} {}", call.name, Value::Object(arguments.clone()))
    }

    fn answer_call(&mut self, result: Result<&str, &str>) {
        let reply = ask(request(self.messages.clone(), self.tools));
        let [call] = &reply.calls[..] else { panic!("it made no call: {}", reply.text) };
        let Arguments::Object(input) = call.arguments.clone() else { panic!("the arguments are an object") };
        let (content, is_error) = result.map_or_else(|error| (error, true), |content| (content, false));
        let block =
            Block::ToolUse { id: call.id.clone(), name: call.name.clone(), input: input.into(), provider: None };
        self.messages.push(Message { role: Role::Assistant, blocks: vec![block] });
        let result = Block::ToolResult { tool_use_id: call.id.clone(), content: content.into(), is_error };
        self.messages.push(Message { role: Role::User, blocks: vec![result] });
    }
}

#[test]
fn a_folder_is_listed_and_shown_in_a_block() {
    let mut dialogue = Dialogue::new("ls read");
    dialogue.messages.push(Message::user("what's in src?"));
    assert_eq!(dialogue.call(), r#"ls {"path":"src"}"#);
    dialogue.messages.clear();

    let answer = dialogue.say("what's in src?", &[Ok("lib.rs\nmodel.rs")]);

    assert_eq!(answer, "Here is what is in `src`:\n\n```\nlib.rs\nmodel.rs\n```");
}

#[test]
fn an_answer_is_in_the_language_that_was_asked_in() {
    let mut dialogue = Dialogue::new("ls read");

    assert_eq!(dialogue.say("列出文件", &[Ok("a.txt")]), "当前目录里有：\n\n```\na.txt\n```");
    assert_eq!(dialogue.say("a.txt", &[Ok("1|hi")]), "`a.txt` 的内容：\n\n```\nhi\n```");
    assert_eq!(dialogue.say("open a.txt", &[Ok("1|hi")]), "Here is `a.txt`:\n\n```\nhi\n```");
}

#[test]
fn a_file_is_shown_without_line_numbers_in_a_fence_that_holds_it() {
    let mut dialogue = Dialogue::new("read");

    let answer = dialogue.say("read a.md", &[Ok("1|```rust\n2|x\n3|```\n[lines 1-3 of 9; go on with offset=4]")]);

    assert_eq!(answer, "Here is `a.md`:\n\n````\n```rust\nx\n```\n````\n\n[lines 1-3 of 9; go on with offset=4]");
}

#[test]
fn what_fails_is_told() {
    let mut dialogue = Dialogue::new("read bash");

    let missing = dialogue.say("read a.txt", &[Err("`a.txt` does not exist")]);
    let failed = dialogue.say("run `false`", &[Err("(no output)\n[exit code 1]")]);

    assert_eq!(missing, "That did not work: `a.txt` does not exist");
    assert_eq!(failed, "`false` did not succeed:\n\n```\n(no output)\n[exit code 1]\n```");
}

#[test]
fn two_wishes_are_fulfilled_one_after_the_other() {
    let mut dialogue = Dialogue::new("ls read write bash");

    let answer = dialogue.say("create a.txt with hi and show it", &[Ok("created `a.txt`"), Ok("1|hi")]);

    let expected = "Done. `a.txt` now holds:\n\n```\nhi\n```\n\nHere is `a.txt`:\n\n```\nhi\n```";
    assert_eq!(answer, expected);
}

#[test]
fn nothing_is_built_on_a_write_that_failed() {
    let mut dialogue = Dialogue::new("ls read write bash");

    let answer = dialogue.say("create a.sh with \"echo hi\" and run it", &[Err("`a.sh` is read-only")]);

    assert_eq!(answer, "That did not work: `a.sh` is read-only\n\nSo I left the rest undone.");
}

#[test]
fn the_same_call_twice_in_a_turn_is_made_twice() {
    let mut dialogue = Dialogue::new("ls write");

    let answer =
        dialogue.say("list files, then create a.txt with 1, then list files", &[Ok("b"), Ok("created"), Ok("a\nb")]);

    assert!(answer.contains("```\nb\n```") && answer.ends_with("```\na\nb\n```"), "{answer}");
}

#[test]
fn it_stands_for_the_file_of_the_turn_before() {
    let mut dialogue = Dialogue::new("read write");
    dialogue.say("create a.txt with hi", &[Ok("created")]);
    dialogue.messages.push(Message::user("read it"));

    assert_eq!(dialogue.call(), r#"read {"path":"a.txt"}"#);
}

#[test]
fn a_file_named_in_passing_is_looked_for() {
    let mut dialogue = Dialogue::new("ls read");

    let found = dialogue.say("show me the readme", &[Ok("src/\nReadMe.md"), Ok("1|hi")]);
    let missing = dialogue.say("show me the readme", &[Ok("src/")]);

    assert_eq!(found, "Here is `ReadMe.md`:\n\n```\nhi\n```");
    assert!(missing.starts_with("I find nothing called `readme` in the working folder."), "{missing}");
}

#[test]
fn a_name_that_may_be_a_folder_or_a_file_is_tried_as_both() {
    let mut dialogue = Dialogue::new("ls read");

    let answer = dialogue.say("what's in ./notes?", &[Err("`./notes` is a file, not a folder"), Ok("1|hi")]);

    assert_eq!(answer, "Here is `./notes`:\n\n```\nhi\n```");
}

#[test]
fn an_empty_file_is_made_only_where_there_is_none() {
    let mut dialogue = Dialogue::new("ls write");

    assert_eq!(dialogue.say("create a.txt", &[Ok("b.txt"), Ok("created")]), "Done. I created `a.txt`, which is empty.");
    assert_eq!(dialogue.say("create a.txt", &[Ok("a.txt")]), "`a.txt` is there already; I left it as it is.");
}

#[test]
fn a_line_is_appended_by_a_shell_else_by_writing_the_whole_file() {
    let mut with_shell = Dialogue::new("read write bash");
    with_shell.messages.push(Message::user("add it's late to a.txt"));
    let mut without = Dialogue::new("read write");
    without.messages.push(Message::user("add two to a.txt"));
    without.answer_call(Ok("1|one"));

    let command = r#"{ [ -z \"$(tail -c 1 a.txt 2>/dev/null)\" ] || echo; printf '%s\\n' 'it'\\''s late'; } >> a.txt"#;
    assert_eq!(with_shell.call(), format!(r#"bash {{"command":"{command}"}}"#));
    assert_eq!(without.call(), r#"write {"path":"a.txt","content":"one\ntwo\n"}"#);
}

#[test]
fn lines_are_counted_by_a_shell_else_by_reading() {
    let shell = Dialogue::new("read bash").say("how many lines has a.txt?", &[Ok("12\n[exit code 0]")]);
    let read = Dialogue::new("read").say("how many lines has a.txt?", &[Ok("1|one\n2|two")]);

    assert_eq!(shell, "`a.txt` has 12 lines.");
    assert_eq!(read, "`a.txt` has 2 lines.");
}

#[test]
fn a_tool_that_is_not_offered_is_named() {
    let answer = Dialogue::new("ls read").say("run `date`", &[]);

    assert_eq!(answer, "For that I would need the tool `bash`, which is not offered to me here.");
}

#[test]
fn a_tool_with_other_arguments_is_not_used() {
    let mut request = request(vec![Message::user("list files")], "");
    let parameters = json!({ "type": "object", "properties": { "folder": {} } });
    request.tools = Arc::new([ToolSpec { name: "ls".into(), description: String::new(), parameters }]);

    assert!(ask(request).text.contains("which is not offered to me here"));
}

#[test]
fn a_nudge_is_answered_in_words() {
    let mut dialogue = Dialogue::new("ls read");
    dialogue.messages.push(Message::user("list the files and then read a.txt"));
    dialogue.answer_call(Ok("a.txt"));
    let mut request = request(dialogue.messages.clone(), "ls read");
    request.nudge = Some("Answer now.".into());

    let reply = ask(request);

    assert_eq!(reply.calls, []);
    assert_eq!(reply.text, "Here is what is in the working folder:\n\n```\na.txt\n```\n\nI got no further than this.");
}

#[test]
fn a_message_that_joins_the_turn_is_taken_too() {
    let mut dialogue = Dialogue::new("ls bash");
    dialogue.messages.push(Message::user("list the files"));
    dialogue.answer_call(Ok("a.txt"));
    dialogue.messages.last_mut().unwrap().blocks.push(Block::text("and run `date`"));

    assert_eq!(dialogue.call(), r#"bash {"command":"date"}"#);
}

#[test]
fn hidden_text_is_not_heard() {
    let hidden = Block::hidden("read secret.txt");
    let message = Message { role: Role::User, blocks: vec![Block::text("list files"), hidden] };

    let reply = ask(request(vec![message], "ls read"));

    assert_eq!(reply.calls[0].name, "ls");
}

#[test]
fn it_says_what_it_is_and_how_a_real_model_is_connected() {
    for text in ["who are you?", "are you ChatGPT?", "help", "hi", "what is love?"] {
        let answer = Dialogue::new("ls").say(text, &[]);
        assert!(
            answer.contains("demo") && answer.contains("language model") && answer.contains("OPENAI_API_KEY"),
            "{answer}"
        );
        assert!(answer.contains("what is in src?") && !answer.contains("run `date`"), "{answer}");
    }
    let answer = Dialogue::new("").say("你是谁", &[]);
    assert!(answer.contains("演示") && answer.contains("没有给我任何工具"), "{answer}");
}

#[test]
fn pictures_and_empty_messages_are_answered_honestly() {
    let image = Block::Image { media_type: "image/png".into(), data: String::new() };
    let only_image = Message { role: Role::User, blocks: vec![image.clone()] };
    let with_text = Message { role: Role::User, blocks: vec![image, Block::text("list files")] };

    assert!(ask(request(vec![only_image], "ls")).text.starts_with("I cannot see pictures"));
    assert_eq!(ask(request(vec![with_text], "ls")).calls.len(), 1);
    assert!(ask(request(vec![Message::user(" \n")], "ls")).text.starts_with("There is no text"));
    assert!(ask(request(Vec::new(), "ls")).text.starts_with("There is no text"));
}

#[test]
fn ids_of_calls_are_new_where_the_beginning_of_the_history_is_gone() {
    let call = Block::ToolUse { id: "demo-7".into(), name: "ls".into(), input: json!({ "path": "." }), provider: None };
    let result = Block::ToolResult { tool_use_id: "demo-7".into(), content: "a".into(), is_error: false };
    let messages = vec![
        Message::user("list files"),
        Message { role: Role::Assistant, blocks: vec![call] },
        Message { role: Role::User, blocks: vec![result] },
        Message::assistant("a"),
        Message::user("list files"),
    ];

    assert_eq!(ask(request(messages, "ls")).calls[0].id, "demo-8");
}

#[test]
fn text_is_streamed_word_by_word() {
    let pieces: Vec<&str> = super::super::pieces("Hello, dear\n\n`a b` 你好").collect();

    assert_eq!(pieces, ["Hello, ", "dear\n\n", "`a ", "b` ", "你", "好"]);
}

/// Words that requests are made of, in any order.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "list",
        "read",
        "write",
        "run",
        "create",
        "files",
        "a.txt",
        "\"x",
        "'",
        "`",
        "```",
        "“",
        "”",
        "to",
        "in",
        "the",
        "and",
        "then",
        "it",
        ":",
        "\n",
        ".",
        "..",
        "/",
        "~",
        "读",
        "写到",
        "把",
        "里",
        "有什么",
        "文件",
        "笔记.txt",
        "，",
        "然后",
        "运行",
        "«",
        "$",
        "|",
        "’",
        "s",
        "你好",
        "：",
        "内容",
        "with",
        "called",
        "folder",
        "目录",
        "新建",
        "追加",
        "command",
        "of",
    ]);
    let space = prop::sample::select(vec!["", " "]);
    prop::collection::vec((word, space), 0..24)
        .prop_map(|words| words.into_iter().map(|(word, space)| [word, space].concat()).collect())
}

proptest! {
    #[test]
    fn any_text_is_answered(text in prop_oneof![".{0,200}", words()]) {
        let reply = ask(request(vec![Message::user(text)], "ls read write bash"));
        prop_assert!(!reply.is_empty());
    }

    #[test]
    fn quoted_text_is_written_as_it_is(text in "[a-z“”，。\n\\\\ .!?]{0,40}[a-z]") {
        let said = format!("write `{text}` to out.txt");
        let reply = ask(request(vec![Message::user(said)], "ls read write bash"));
        let Arguments::Object(arguments) = &reply.calls[0].arguments else { panic!("the arguments are an object") };
        prop_assert_eq!(&arguments["content"], &json!(text));
        prop_assert_eq!(&arguments["path"], &json!("out.txt"));
    }
}

#[test]
fn a_text_as_large_as_they_come_is_understood_at_once() {
    let long = "word ".repeat(200_000);
    let quoted = format!("write \"{long}\" to a.txt");
    let colon = format!("write to a.txt: {long}");
    for text in
        [quoted.clone(), colon, long.clone(), "'\"`“".repeat(200_000), "a.b:".repeat(200_000), "和读".repeat(100_000)]
    {
        assert!(!ask(request(vec![Message::user(text)], "write")).is_empty());
    }
}

#[test]
fn a_long_content_is_written_to_its_end() {
    let long = "word ".repeat(2_000) + "end";
    let chinese = "很长的内容".repeat(2_000);
    for (text, content) in [
        (format!("write \"{long}\" to a.txt"), &long),
        (format!("create a.txt with the text {long}"), &long),
        (format!("write to a.txt: {long}"), &long),
        (format!("把“{chinese}”写到 a.txt"), &chinese),
        (format!("写入 a.txt：{chinese}"), &chinese),
        (format!("新建 a.txt，写上{chinese}"), &chinese),
    ] {
        let reply = ask(request(vec![Message::user(text)], "write"));
        let Arguments::Object(arguments) = &reply.calls[0].arguments else { panic!("the arguments are an object") };
        assert_eq!(arguments["content"], json!(content));
    }
}

#[test]
fn a_folder_whose_name_is_made_of_words_for_folders_is_found() {
    for text in ["空目录里有什么？", "列出空目录", "看看空目录里有哪些文件", "what's in 空目录?", "list 空目录"]
    {
        let mut dialogue = Dialogue::new("ls read");
        dialogue.messages.push(Message::user(text));
        while !dialogue.call().contains("空目录") {
            assert_eq!(dialogue.call(), r#"ls {"path":"."}"#, "{text}");
            dialogue.answer_call(Ok("a.txt\n空目录/"));
        }

        assert_eq!(dialogue.call(), r#"ls {"path":"空目录"}"#, "{text}");
    }
}

#[test]
fn a_name_with_spaces_is_found_and_otherwise_not_guessed() {
    let answer = |text: &str, results: &[Result<&str, &str>]| Dialogue::new("ls read write").say(text, results);

    let read = answer("read my notes.txt", &[Ok("my notes.txt\nnotes.txt"), Ok("1|hi")]);
    let written = answer("write hi to my notes.txt", &[Ok("my notes.txt"), Ok("written")]);
    let doubtful = answer("append hi to shopping list.txt", &[]);

    assert!(read.starts_with("Here is `my notes.txt`:"), "{read}");
    assert!(written.contains("`my notes.txt` now holds"), "{written}");
    assert!(doubtful.starts_with("I did not understand that"), "{doubtful}");
}

#[test]
fn a_chinese_name_of_which_the_sentence_may_have_a_part_is_looked_for() {
    let mut dialogue = Dialogue::new("ls read");

    let whole = dialogue.say("读一下我的文件.txt", &[Ok("我的文件.txt\n文件.txt"), Ok("1|hi")]);
    let part = dialogue.say("读一下我的文件.txt", &[Ok("文件.txt"), Ok("1|hi")]);

    assert!(whole.starts_with("`我的文件.txt` 的内容"), "{whole}");
    assert!(part.starts_with("`文件.txt` 的内容"), "{part}");
}
