//! What the adapters themselves say, in English and Chinese.

use chat::Language;

use Language::{Chinese, English};

/// A text of the adapters' own.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// What was said so far is void.
    StartingOver,
    /// The message was taken into the turn that runs.
    Joined,
    /// What a first Ctrl-C at an empty prompt says.
    PressAgain,
    /// The model has said nothing yet.
    Thinking,
    /// Stands in place of arguments that were refused.
    ArgumentsRefused,
    /// Some of a long output is not shown.
    MoreLines(usize),
    /// A line of the input was too long.
    LineTooLong,
    /// A line of the input held something that is not text.
    LineMended,
    /// The input broke.
    InputFailed(String),
    /// The rest of the bot is gone.
    Unreachable,
    /// What is left of a live message whose answer stands elsewhere.
    Worked {
        /// How long the turn took.
        seconds: u64,
        /// How many tools it ran.
        tools: usize,
    },
    /// On the button that ends a turn.
    Stop,
    /// A turn ended without a word.
    Stopped,
    /// Under the beginning of an answer that is too long for a chat.
    WholeInFile(String),
    /// Under a message of which it is not known whether it was there before.
    MayBeRepeat,
    /// A file is larger than can be fetched.
    FileTooLarge {
        /// How large it may be, in MiB.
        most: u64,
    },
    /// A file could not be fetched.
    FileFailed(String),
    /// A file came with an answer.
    File {
        /// What it is called.
        name: String,
        /// How large it is.
        size: String,
        /// Where it is.
        path: String,
    },
}

impl Text {
    /// The text in a language.
    pub(crate) fn say(&self, language: Language) -> String {
        match (self, language) {
            (Self::StartingOver, English) => "(starting over)".into(),
            (Self::StartingOver, Chinese) => "（重新回答）".into(),
            (Self::Joined, English) => "(added to the running turn)".into(),
            (Self::Joined, Chinese) => "（已加入正在运行的任务）".into(),
            (Self::PressAgain, English) => "(press Ctrl-C again to quit)".into(),
            (Self::PressAgain, Chinese) => "（再按一次 Ctrl-C 退出）".into(),
            (Self::Thinking, English) => "thinking".into(),
            (Self::Thinking, Chinese) => "思考中".into(),
            (Self::ArgumentsRefused, English) => "(arguments refused)".into(),
            (Self::ArgumentsRefused, Chinese) => "（参数无效）".into(),
            (Self::MoreLines(1), English) => "… 1 more line".into(),
            (Self::MoreLines(count), English) => format!("… {count} more lines"),
            (Self::MoreLines(count), Chinese) => format!("… 还有 {count} 行"),
            (Self::LineTooLong, English) => "A line is longer than 1 MiB; it was not taken.".into(),
            (Self::LineTooLong, Chinese) => "有一行超过 1 MiB，没有接收。".into(),
            (Self::LineMended, English) => {
                "A line holds NUL bytes or invalid UTF-8; each is replaced by U+FFFD (\u{fffd}).".into()
            }
            (Self::LineMended, Chinese) => "有一行含有 NUL 字节或无效的 UTF-8，已替换为 U+FFFD（\u{fffd}）。".into(),
            (Self::InputFailed(error), English) => format!("The input cannot be read: {error}."),
            (Self::InputFailed(error), Chinese) => format!("无法读取输入：{error}。"),
            (Self::Unreachable, English) => "The bot is going down; this message was not taken.".into(),
            (Self::Unreachable, Chinese) => "机器人正在关闭，这条消息没有接收。".into(),
            (Self::Worked { seconds, tools: 0 }, English) => format!("Worked for {seconds} s."),
            (Self::Worked { seconds, tools: 1 }, English) => format!("Worked for {seconds} s, with 1 tool call."),
            (Self::Worked { seconds, tools }, English) => format!("Worked for {seconds} s, with {tools} tool calls."),
            (Self::Worked { seconds, tools: 0 }, Chinese) => format!("用时 {seconds} 秒。"),
            (Self::Worked { seconds, tools }, Chinese) => format!("用时 {seconds} 秒，调用工具 {tools} 次。"),
            (Self::Stop, English) => "Stop".into(),
            (Self::Stop, Chinese) => "停止".into(),
            (Self::Stopped, English) => "Stopped.".into(),
            (Self::Stopped, Chinese) => "已停止。".into(),
            (Self::WholeInFile(name), English) => format!("The whole answer is in {name}."),
            (Self::WholeInFile(name), Chinese) => format!("完整的回答在文件 {name} 中。"),
            (Self::MayBeRepeat, English) => "(may be a repeat)".into(),
            (Self::MayBeRepeat, Chinese) => "（可能是重复消息）".into(),
            (Self::FileTooLarge { most }, English) => format!("it is larger than {most} MiB"),
            (Self::FileTooLarge { most }, Chinese) => format!("文件超过 {most} MiB"),
            (Self::FileFailed(error), English) => format!("it could not be fetched: {error}"),
            (Self::FileFailed(error), Chinese) => format!("无法下载：{error}"),
            (Self::File { name, size, path }, English) => format!("[file: {name} ({size}), {path}]"),
            (Self::File { name, size, path }, Chinese) => format!("[文件：{name}（{size}），{path}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_there_in_both_languages() {
        let texts = [
            Text::StartingOver,
            Text::Joined,
            Text::PressAgain,
            Text::Thinking,
            Text::ArgumentsRefused,
            Text::MoreLines(1),
            Text::MoreLines(2),
            Text::LineTooLong,
            Text::LineMended,
            Text::InputFailed("broken".into()),
            Text::Unreachable,
            Text::Worked { seconds: 30, tools: 0 },
            Text::Worked { seconds: 30, tools: 1 },
            Text::Worked { seconds: 30, tools: 2 },
            Text::Stop,
            Text::Stopped,
            Text::WholeInFile("answer.md".into()),
            Text::MayBeRepeat,
            Text::FileTooLarge { most: 20 },
            Text::FileFailed("gone".into()),
            Text::File { name: "a".into(), size: "1 KB".into(), path: "/a".into() },
        ];
        for text in texts {
            let (english, chinese) = (text.say(English), text.say(Chinese));
            assert!(english.is_ascii() || english.contains(['…', '\u{fffd}']), "{english}");
            assert!(chinese.chars().any(|char| ('\u{4e00}'..='\u{9fff}').contains(&char)), "{chinese}");
        }
    }
}
