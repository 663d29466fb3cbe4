//! What the bot itself says about conversations, in English and Chinese.

pub(crate) mod access;

use chat::command::COMMANDS;
use chat::{Language, RefusalReason, TurnError};

use Language::{Chinese, English};

use crate::models::Switch;

pub(crate) fn unknown_command(language: Language, name: &str, nearest: Option<&str>) -> String {
    match (language, nearest) {
        (English, Some(nearest)) => format!("There is no command /{name}. Did you mean /{nearest}? /help lists all."),
        (English, None) => format!("There is no command /{name}. /help lists all."),
        (Chinese, Some(nearest)) => format!("没有 /{name} 这个命令。是想输入 /{nearest} 吗？/help 列出全部命令。"),
        (Chinese, None) => format!("没有 /{name} 这个命令。/help 列出全部命令。"),
    }
}

pub(crate) fn reserved_command(language: Language, name: &str) -> String {
    match language {
        English => format!("/{name} comes with a later version."),
        Chinese => format!("/{name} 将在以后的版本中提供。"),
    }
}

pub(crate) fn refused(language: Language, reason: RefusalReason) -> String {
    let text = match (language, reason) {
        (English, RefusalReason::QueueFull) => {
            "Too many messages are waiting here: this one was not taken, nor are others before there is room. Send it again then."
        }
        (Chinese, RefusalReason::QueueFull) => {
            "这里等待的消息太多：这一条没有接收，有空位之前的其他消息也不会接收。请稍后再发。"
        }
        (English, RefusalReason::TooLarge) => "This message is larger than 1 MiB; it was not taken.",
        (Chinese, RefusalReason::TooLarge) => "这条消息超过 1 MiB，没有接收。",
        (English, RefusalReason::Storage) => {
            "This message could not be saved, so it was not taken: the disk of the data folder does not take it."
        }
        (Chinese, RefusalReason::Storage) => "这条消息无法保存，因此没有接收：数据目录所在的磁盘无法写入。",
        (English, RefusalReason::NoAccess) => "You have no access to this bot.",
        (Chinese, RefusalReason::NoAccess) => "你没有使用这个机器人的权限。",
        (English, RefusalReason::Unsupported) => "This kind of message is not supported; send text or a file.",
        (Chinese, RefusalReason::Unsupported) => "暂不支持这种消息，请发送文字或文件。",
        (English, RefusalReason::DiskFull) => {
            "This message could not be saved, so it was not taken: the disk is full. Free some space and send it again."
        }
        (Chinese, RefusalReason::DiskFull) => "这条消息无法保存，因此没有接收：磁盘已满。请腾出空间后再发一次。",
        (English, RefusalReason::ShuttingDown) => "The bot is going down; this message was not taken.",
        (Chinese, RefusalReason::ShuttingDown) => "机器人正在关闭，这条消息没有接收。",
    };
    text.to_owned()
}

pub(crate) fn new_accepted(language: Language) -> String {
    match language {
        English => "Starting over: what was said so far is no longer sent to the model.",
        Chinese => "重新开始：之前的内容不再发送给模型。",
    }
    .to_owned()
}

pub(crate) fn compact_accepted(language: Language) -> String {
    match language {
        English => "All but the last two turns are sent to the model as a short digest from now on.",
        Chinese => "从现在起，除最近两轮外，之前的内容以简短摘要的形式发送给模型。",
    }
    .to_owned()
}

pub(crate) fn nothing_to_compact(language: Language) -> String {
    match language {
        English => "There is nothing to shorten: only the turns before the last two are made a digest.",
        Chinese => "没有可以压缩的内容：只有最近两轮之前的内容会换成摘要。",
    }
    .to_owned()
}

pub(crate) fn stopping(language: Language, waiting: usize) -> String {
    match (language, waiting) {
        (English, 0) => "Stopping.".to_owned(),
        (English, 1) => "Stopping. One message waits and comes next.".to_owned(),
        (English, _) => format!("Stopping. {waiting} messages wait and come next."),
        (Chinese, 0) => "正在停止。".to_owned(),
        (Chinese, _) => format!("正在停止。还有 {waiting} 条消息在等待，接下来处理。"),
    }
}

/// For the model, which is told in English.
pub(crate) fn message_changed(text: &str) -> String {
    format!("[I changed my message; it says now:]\n{text}")
}

pub(crate) fn nothing_to_stop(language: Language) -> String {
    match language {
        English => "Nothing is running.",
        Chinese => "现在没有正在运行的任务。",
    }
    .to_owned()
}

pub(crate) fn already_finished(language: Language) -> String {
    match language {
        English => "It has already finished.",
        Chinese => "已经完成了。",
    }
    .to_owned()
}

pub(crate) fn steered(language: Language) -> String {
    match language {
        English => "Taken into the running turn.",
        Chinese => "已加入正在运行的任务。",
    }
    .to_owned()
}

pub(crate) fn steer_usage(language: Language) -> String {
    match language {
        English => "Write the new direction behind it: /steer TEXT",
        Chinese => "请在后面写上新的指示：/steer 内容",
    }
    .to_owned()
}

pub(crate) fn nothing_to_steer(language: Language) -> String {
    match language {
        English => "Nothing is running; send it as a message.",
        Chinese => "现在没有正在运行的任务；请作为消息发送。",
    }
    .to_owned()
}

pub(crate) fn being_stopped(language: Language) -> String {
    match language {
        English => "It is being stopped; send this as a message.",
        Chinese => "任务正在停止；请作为消息发送。",
    }
    .to_owned()
}

pub(crate) fn just_finished(language: Language) -> String {
    match language {
        English => "It has just finished; send this as a message.",
        Chinese => "任务刚刚完成；请作为消息发送。",
    }
    .to_owned()
}

pub(crate) fn help(language: Language) -> String {
    let lines = COMMANDS.iter().map(|(name, rest, english)| {
        let line = if language == English { english } else { in_chinese(name) };
        format!("- `/{name}{rest}`: {line}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn in_chinese(command: &str) -> &'static str {
    match command {
        "stop" => "停止正在运行的任务",
        "steer" => "给正在运行的任务新的指示",
        "status" => "现在的状态",
        "new" => "清空历史，重新开始",
        "compact" => "把较早的内容换成简短摘要",
        "tools" => "这里可用的工具",
        "context" => "上下文用了多少",
        "version" => "版本",
        "help" => "这个列表",
        _ => "",
    }
}

pub(crate) fn context(language: Language, sent: usize, all: usize) -> String {
    match language {
        English => format!("{sent} of {all} messages of this conversation are sent to the model."),
        Chinese => format!("这个对话共有 {all} 条消息，其中 {sent} 条会发送给模型。"),
    }
}

pub(crate) fn running(language: Language, step: u32, tool: Option<&str>) -> String {
    match (language, tool) {
        (English, Some(tool)) => format!("running: step {step}, tool {tool}"),
        (English, None) => format!("running: step {step}"),
        (Chinese, Some(tool)) => format!("正在运行：第 {step} 步，工具 {tool}"),
        (Chinese, None) => format!("正在运行：第 {step} 步"),
    }
}

pub(crate) fn finishing(language: Language) -> String {
    match language {
        English => "saving what was done",
        Chinese => "正在保存",
    }
    .to_owned()
}

pub(crate) fn idle(language: Language) -> String {
    match language {
        English => "idle",
        Chinese => "空闲",
    }
    .to_owned()
}

pub(crate) fn status(language: Language, doing: &str, waiting: usize, model: &str, version: &str) -> String {
    match language {
        English => format!("{doing}; messages waiting: {waiting}; model: {model}; Cowhand {version}"),
        Chinese => format!("{doing}；等待的消息：{waiting}；模型：{model}；Cowhand {version}"),
    }
}

pub(crate) fn no_tools(language: Language) -> String {
    match language {
        English => "There are no tools here.",
        Chinese => "这里没有可用的工具。",
    }
    .to_owned()
}

pub(crate) fn turn_failed(language: Language, error: &TurnError) -> String {
    let message = &error.message;
    match language {
        English => {
            format!("This could not be finished: {message}. The conversation goes on; say it again to try anew.")
        }
        Chinese => format!("没有能够完成：{message}。对话可以继续；再说一次即可重试。"),
    }
}

pub(crate) fn suspended(language: Language) -> String {
    match language {
        English => "paused; it goes on by itself",
        Chinese => "已暂停，会自动继续",
    }
    .to_owned()
}

pub(crate) fn set_aside(language: Language) -> String {
    match language {
        English => "the program ended each of the three times that this was tried; it is set aside and not tried again",
        Chinese => "尝试了三次，每次程序都中断；已搁置，不再尝试",
    }
    .to_owned()
}

pub(crate) fn expired(language: Language) -> String {
    match language {
        English => "it waited for too long and is given up",
        Chinese => "等待时间过长，已放弃",
    }
    .to_owned()
}

pub(crate) fn interrupted(language: Language) -> String {
    match language {
        English => "the program ended, or could not save it, while it was being worked on",
        Chinese => "处理过程中程序中断了，或者结果无法保存",
    }
    .to_owned()
}

pub(crate) fn not_saved(language: Language, text: &str, is_disk_full: bool) -> String {
    match (language, is_disk_full) {
        (English, true) => {
            format!("{text}\n\n(The disk is full: this answer could not be saved and will not be remembered.)")
        }
        (English, false) => format!("{text}\n\n(This answer could not be saved and will not be remembered.)"),
        (Chinese, true) => format!("{text}\n\n（磁盘已满：这个回答无法保存，以后不会记得。）"),
        (Chinese, false) => format!("{text}\n\n（这个回答无法保存，以后不会记得。）"),
    }
}

pub(crate) fn perhaps_repeated(language: Language, text: &str) -> String {
    match language {
        English => format!("{text}\n\n(This may be a repeat: the program ended before it was known to be shown.)"),
        Chinese => format!("{text}\n\n（这可能是重复的内容：程序在确认显示之前中断了。）"),
    }
}

pub(crate) fn switched(language: Language, switch: &Switch) -> String {
    let Switch { from, to, is_back } = switch;
    match (language, is_back) {
        (English, false) => format!("{from} does not answer now; going on with {to}."),
        (English, true) => format!("{to} answers again; going on with it."),
        (Chinese, false) => format!("{from} 现在没有回应，改用 {to} 继续。"),
        (Chinese, true) => format!("{to} 恢复了，继续使用它。"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_line_in_chinese() {
        for (name, ..) in COMMANDS {
            assert!(!in_chinese(name).is_empty(), "/{name}");
        }
    }

    #[test]
    fn no_text_is_the_same_in_both_languages() {
        let texts: [fn(Language) -> String; 17] = [
            expired,
            set_aside,
            suspended,
            help,
            idle,
            finishing,
            being_stopped,
            nothing_to_compact,
            no_tools,
            steered,
            steer_usage,
            interrupted,
            new_accepted,
            compact_accepted,
            just_finished,
            nothing_to_stop,
            already_finished,
        ];
        for text in texts {
            assert_ne!(text(English), text(Chinese));
        }
    }
}
