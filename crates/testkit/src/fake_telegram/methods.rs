//! What a bot may ask.

use serde_json::{Value, json};

use super::fault::{flood, refusal};
use super::html;
use super::state::{Message, State};

/// An answer: a status and what it says.
pub(super) type Answer = (u16, Value);

/// The file of a call.
pub(super) type File = Option<(String, Vec<u8>)>;

/// The most that a message may hold, in UTF-16 units of what is read.
const LONGEST_TEXT: usize = 4096;

/// The same for what is written under a file.
const LONGEST_CAPTION: usize = 1024;

/// The largest file that a bot may fetch.
const LARGEST_FILE: u64 = 20 << 20;

/// Some of the reactions that a bot may give (Bot API, `ReactionTypeEmoji`).
const REACTIONS: [&str; 8] = ["👍", "👎", "❤", "🔥", "👀", "✍", "🤔", "👌"];

fn ok(result: Value) -> Answer {
    (200, json!({ "ok": true, "result": result }))
}

fn bad(text: &str) -> Answer {
    refusal(400, &format!("Bad Request: {text}"))
}

/// Does what a call asks for. `getUpdates` is not here: it waits.
pub(super) fn call(state: &mut State, method: &str, body: &Value, file: File) -> Answer {
    match method.to_ascii_lowercase().as_str() {
        "getme" => ok(me(state)),
        "sendmessage" => send(state, body).unwrap_or_else(|refused| refused),
        "senddocument" | "sendphoto" => send_file(state, body, file).unwrap_or_else(|refused| refused),
        "editmessagetext" => edit(state, body).unwrap_or_else(|refused| refused),
        "deletemessage" => delete(state, body).unwrap_or_else(|refused| refused),
        "sendchataction" => open_chat(state, body).map_or_else(|refused| refused, |_| ok(json!(true))),
        "setmessagereaction" => react(state, body).unwrap_or_else(|refused| refused),
        "answercallbackquery" => answer_press(state, body),
        "setmycommands" => set_commands(body),
        "getfile" => get_file(state, body),
        "setwebhook" => {
            state.webhook = body["url"].as_str().filter(|url| !url.is_empty()).map(str::to_owned);
            ok(json!(true))
        }
        "deletewebhook" => {
            state.webhook = None;
            ok(json!(true))
        }
        _ => refusal(404, "Not Found"),
    }
}

fn me(state: &State) -> Value {
    let id: i64 = state.token.split(':').next().and_then(|id| id.parse().ok()).unwrap_or_default();
    json!({
        "id": id, "is_bot": true, "first_name": "Cowhand", "username": "cowhand_bot", "can_join_groups": true,
        "can_read_all_group_messages": false, "supports_inline_queries": false, "has_main_web_app": false,
    })
}

/// A number, which forms give as text.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// The chat of a call, if something can be sent there.
fn open_chat(state: &State, body: &Value) -> Result<i64, Answer> {
    let id = number(&body["chat_id"]).ok_or_else(|| bad("chat_id is empty"))?;
    let chat = state.chats.get(&id).ok_or_else(|| bad("chat not found"))?;
    if let Some(to) = chat.moved_to {
        let mut answer = bad("group chat was upgraded to a supergroup chat");
        answer.1["parameters"] = json!({ "migrate_to_chat_id": to });
        return Err(answer);
    }
    if let Some((code, text)) = chat.closed {
        return Err(refusal(code, text));
    }
    if let Some(thread) = number(&body["message_thread_id"])
        && !chat.topics.contains(&thread)
    {
        return Err(bad("message thread not found"));
    }
    Ok(id)
}

/// What is read of the text of a call.
fn text(body: &Value, field: &str, most: usize, too_long: &str) -> Result<String, Answer> {
    let markup = body[field].as_str().unwrap_or_default();
    let read = match body["parse_mode"].as_str() {
        Some(mode) if mode.eq_ignore_ascii_case("html") => {
            html::read(markup).map_err(|why| bad(&format!("can't parse entities: {why}")))?
        }
        Some("") | None => markup.to_owned(),
        Some(_) => return Err(bad("unsupported parse_mode")),
    };
    let read = read.trim().to_owned();
    if read.encode_utf16().count() > most {
        return Err(bad(too_long));
    }
    Ok(read)
}

fn buttons(body: &Value) -> Result<Vec<String>, Answer> {
    // Forms give it as text.
    let markup = &body["reply_markup"];
    let parsed = markup.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let rows = parsed.as_ref().unwrap_or(markup)["inline_keyboard"].as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for button in rows.iter().flat_map(|row| row.as_array().cloned().unwrap_or_default()) {
        let data = button["callback_data"].as_str().unwrap_or_default();
        if data.is_empty() || data.len() > 64 {
            return Err(bad("BUTTON_DATA_INVALID"));
        }
        if button["text"].as_str().is_none_or(str::is_empty) {
            return Err(bad("can't parse inline keyboard button: Field \"text\" must be of type String"));
        }
        all.push(data.to_owned());
    }
    Ok(all)
}

fn reply(state: &mut State, chat: i64, body: &Value) -> Result<Option<i64>, Answer> {
    let parameters = &body["reply_parameters"];
    let parsed = parameters.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let parameters = parsed.as_ref().unwrap_or(parameters);
    let Some(id) = number(&parameters["message_id"]) else { return Ok(None) };
    match state.message(chat, id) {
        Some(_) => Ok(Some(id)),
        None if parameters["allow_sending_without_reply"] == json!(true) => Ok(None),
        None => Err(bad("message to be replied not found")),
    }
}

fn paced(state: &mut State, chat: i64) -> Result<(), Answer> {
    state.flood(chat).map_or(Ok(()), |seconds| Err(flood(seconds)))
}

fn send(state: &mut State, body: &Value) -> Result<Answer, Answer> {
    let chat = open_chat(state, body)?;
    let text = text(body, "text", LONGEST_TEXT, "message is too long")?;
    if text.is_empty() {
        return Err(bad("message text is empty"));
    }
    let markup = body["text"].as_str().unwrap_or_default().to_owned();
    put(state, body, (text, markup), None, chat)
}

fn send_file(state: &mut State, body: &Value, file: File) -> Result<Answer, Answer> {
    let chat = open_chat(state, body)?;
    let caption = text(body, "caption", LONGEST_CAPTION, "message caption is too long")?;
    let Some((name, bytes)) = file else { return Err(bad("there is no document in the request")) };
    if bytes.is_empty() {
        return Err(bad("file must be non-empty"));
    }
    let markup = body["caption"].as_str().unwrap_or_default().to_owned();
    put(state, body, (caption, markup), Some((name, bytes)), chat)
}

fn put(
    state: &mut State,
    body: &Value,
    (text, markup): (String, String),
    file: File,
    chat: i64,
) -> Result<Answer, Answer> {
    let (buttons, reply_to) = (buttons(body)?, reply(state, chat, body)?);
    paced(state, chat)?;
    let id = state.number();
    let thread = number(&body["message_thread_id"]);
    let message = Message {
        chat,
        id,
        is_bots: true,
        text,
        markup,
        thread,
        reply_to,
        buttons,
        versions: Vec::new(),
        file,
        is_deleted: false,
    };
    let answer = shown(state, &message);
    state.messages.push(message);
    Ok(ok(answer))
}

fn shown(state: &State, message: &Message) -> Value {
    let kind = if message.chat < 0 { "supergroup" } else { "private" };
    json!({
        "message_id": message.id, "date": 1_700_000_000, "from": me(state), "text": message.text,
        "chat": { "id": message.chat, "type": kind, "first_name": "someone", "title": "some chat" },
    })
}

fn edit(state: &mut State, body: &Value) -> Result<Answer, Answer> {
    let chat = open_chat(state, body)?;
    let id = number(&body["message_id"]).ok_or_else(|| bad("message identifier is not specified"))?;
    let text = text(body, "text", LONGEST_TEXT, "message is too long")?;
    if text.is_empty() {
        return Err(bad("message text is empty"));
    }
    let buttons = buttons(body)?;
    paced(state, chat)?;
    let Some(message) = state.message(chat, id) else { return Err(bad("message to edit not found")) };
    if !message.is_bots {
        return Err(bad("message can't be edited"));
    }
    let markup = body["text"].as_str().unwrap_or_default();
    if message.markup == markup && message.buttons == buttons {
        return Err(bad(
            "message is not modified: specified new message content and reply markup are exactly the same as a current \
             content and reply markup of the message",
        ));
    }
    let before = std::mem::replace(&mut message.text, text);
    message.versions.push(before);
    message.markup = markup.to_owned();
    message.buttons = buttons;
    let message = message.clone();
    Ok(ok(shown(state, &message)))
}

fn delete(state: &mut State, body: &Value) -> Result<Answer, Answer> {
    let chat = open_chat(state, body)?;
    let id = number(&body["message_id"]).unwrap_or_default();
    let Some(message) = state.message(chat, id) else { return Err(bad("message to delete not found")) };
    message.is_deleted = true;
    Ok(ok(json!(true)))
}

fn react(state: &mut State, body: &Value) -> Result<Answer, Answer> {
    let chat = open_chat(state, body)?;
    let id = number(&body["message_id"]).unwrap_or_default();
    if state.message(chat, id).is_none() {
        return Err(bad("message to react not found"));
    }
    let emoji = body["reaction"][0]["emoji"].as_str().unwrap_or_default();
    if !REACTIONS.contains(&emoji) {
        return Err(bad("REACTION_INVALID"));
    }
    state.reactions.insert((chat, id), emoji.to_owned());
    Ok(ok(json!(true)))
}

fn answer_press(state: &mut State, body: &Value) -> Answer {
    let id = body["callback_query_id"].as_str().unwrap_or_default();
    if body["text"].as_str().is_some_and(|text| text.encode_utf16().count() > 200) {
        return bad("MESSAGE_TOO_LONG");
    }
    if !state.presses.remove(id) {
        return bad("query is too old and response timeout expired or query ID is invalid");
    }
    ok(json!(true))
}

fn set_commands(body: &Value) -> Answer {
    let commands = body["commands"].as_array().cloned().unwrap_or_default();
    let is_valid = |command: &Value| {
        let name = command["command"].as_str().unwrap_or_default();
        let about = command["description"].as_str().unwrap_or_default();
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        (1..=32).contains(&name.len()) && name.bytes().all(is_name) && (1..=256).contains(&about.chars().count())
    };
    if commands.len() > 100 || !commands.iter().all(is_valid) {
        return bad("BOT_COMMAND_INVALID");
    }
    ok(json!(true))
}

fn get_file(state: &State, body: &Value) -> Answer {
    let id = body["file_id"].as_str().unwrap_or_default();
    match state.files.get(id) {
        None => bad("wrong file_id or the file is temporarily unavailable"),
        Some((_, _, size)) if *size > LARGEST_FILE => bad("file is too big"),
        Some((path, _, size)) => {
            ok(json!({ "file_id": id, "file_unique_id": format!("u{id}"), "file_size": size, "file_path": path }))
        }
    }
}
