//! What people read.

use chat::{ErrorClass, Language, ModelError};

/// Something that the machine says to a person.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ForPeople<'a> {
    /// A person stopped the turn before it said anything.
    Stopped,
    /// Follows a text that ended at the limit on output.
    CutOff,
    /// Follows a text that a vendor's filter ended, or stands alone.
    Filtered,
    /// The output was used up by thinking.
    OnlyThought,
    /// The model gave nothing, however often it was asked.
    NoAnswer,
    /// The loop breaker ended the turn.
    WentInCircles,
    /// No summary could be had at the end of the steps.
    StepsUsedUp { steps: u32 },
    /// Earlier messages are no longer sent to the model.
    HistoryLeftOut,
    /// The model is asked again after a longer pause.
    Waiting { ms: u64 },
    /// The model gave no reply.
    ModelFailed { error: &'a ModelError },
    /// The turn broke off inside the program.
    Interrupted { reason: &'a str },
    /// A call ran when the program ended.
    CallInterrupted { call: &'a str },
    /// Follows the text of a turn in which calls were interrupted.
    Uncertain { calls: &'a [String] },
    /// Stands where the middle of a long thought was.
    ThoughtCut { left_out: usize },
}

impl ForPeople<'_> {
    /// The text itself.
    pub(crate) fn text(self, language: Language) -> String {
        match language {
            Language::English => self.english(),
            Language::Chinese => self.chinese(),
        }
    }

    fn english(self) -> String {
        match self {
            Self::Stopped => "Stopped.".into(),
            Self::CutOff => "(The answer was cut off here: it reached the limit on length. Say \"go on\" for the rest.)".into(),
            Self::Filtered => "The model's content filter held the answer back. Try saying it in other words.".into(),
            Self::OnlyThought => {
                "The model used up its limit on length by thinking and did not get to an answer. Try a smaller question.".into()
            }
            Self::NoAnswer => "Sorry, the model gave no answer. Please ask again, perhaps in other words.".into(),
            Self::WentInCircles => {
                "Sorry, I stopped: the same calls failed or repeated themselves again and again, and I found no other way. \
                 Please tell me how to go about it differently."
                    .into()
            }
            Self::StepsUsedUp { steps } => {
                format!("I used all {steps} steps that one message may take, and have no summary of them. Say \"go on\" to continue.")
            }
            Self::HistoryLeftOut => {
                "The model did not accept the earlier conversation, so from here on it only sees your last message. Nothing \
                 that was stored is lost."
                    .into()
            }
            Self::Waiting { ms } => format!("The model is not available at the moment. Trying again in {}.", duration_in_english(ms)),
            Self::ModelFailed { error } => model_failed_in_english(error),
            Self::Interrupted { reason } => format!("Sorry, the work broke off ({reason}). Please ask again."),
            Self::CallInterrupted { call } => {
                format!("The program was interrupted during this call; whether it took effect is not known: {call}")
            }
            Self::Uncertain { calls } => format!(
                "(The program was interrupted on the way. Whether this took effect is not known, and it was not run again: {})",
                calls.join("; ")
            ),
            Self::ThoughtCut { left_out } => format!("\n[… {left_out} characters left out …]\n"),
        }
    }

    fn chinese(self) -> String {
        match self {
            Self::Stopped => "已停止。".into(),
            Self::CutOff => "（回答到此被截断：已达到长度上限。发送「继续」可获取余下内容。）".into(),
            Self::Filtered => "模型的内容过滤器拦下了回答。请换一种说法再试。".into(),
            Self::OnlyThought => "模型把长度上限都用在了思考上，没有给出回答。请把问题缩小一些再试。".into(),
            Self::NoAnswer => "抱歉，模型没有给出回答。请再问一次，也可以换一种说法。".into(),
            Self::WentInCircles => {
                "抱歉，我停了下来：同样的调用一再失败或重复，我没有找到别的办法。请告诉我可以怎样换个做法。".into()
            }
            Self::StepsUsedUp { steps } => {
                format!("一条消息可用的 {steps} 步已全部用完，但没能得到总结。发送「继续」可接着做。")
            }
            Self::HistoryLeftOut => {
                "模型不接受之前的对话，从现在起它只看到你最后一条消息。已保存的内容没有丢失。".into()
            }
            Self::Waiting { ms } => format!("模型暂时不可用，{}后重试。", duration_in_chinese(ms)),
            Self::ModelFailed { error } => model_failed_in_chinese(error),
            Self::Interrupted { reason } => format!("抱歉，处理中断了（{reason}）。请再问一次。"),
            Self::CallInterrupted { call } => format!("程序在执行这个调用时中断了，不知道它是否已经生效：{call}"),
            Self::Uncertain { calls } => {
                format!("（处理途中程序中断过。以下操作是否已经生效不得而知，也没有再次执行：{}）", calls.join("；"))
            }
            Self::ThoughtCut { left_out } => format!("\n[……省略 {left_out} 个字符……]\n"),
        }
    }
}

fn model_failed_in_english(error: &ModelError) -> String {
    let (what, advice) = match error.class {
        ErrorClass::Network => ("The model could not be reached", ""),
        ErrorClass::Timeout => ("The model did not answer in time", ""),
        ErrorClass::Truncated => ("The model's reply broke off", ""),
        ErrorClass::Empty => ("The model gave no answer", ""),
        ErrorClass::RateLimited => ("The model takes no more requests at present", ""),
        ErrorClass::Overloaded => ("The model is overloaded", ""),
        ErrorClass::Server => ("The model's server failed", ""),
        ErrorClass::Protocol => ("The model's answer could not be read", ""),
        ErrorClass::Auth => ("The model did not accept the key", " Please check the key."),
        ErrorClass::Quota => ("The model's account has no credit left", " Please check the account."),
        ErrorClass::Overflow => (
            "This is more than the model can take in",
            " Send less at a time, start over with /new, or choose a larger model.",
        ),
        ErrorClass::MalformedHistory => (
            "The model does not accept the form of the conversation",
            " Start over with /new, or choose another model.",
        ),
        ErrorClass::BadRequest => ("The model refused the request", ""),
        ErrorClass::ContentFilter => ("The model's content filter held this back", " Try saying it in other words."),
    };
    let again = error.retry_after_ms.map(|ms| format!(" Try again in {}.", duration_in_english(ms)));
    format!("{what}{}.{advice}{}", cause(error, " (", ")"), again.unwrap_or_default())
}

fn model_failed_in_chinese(error: &ModelError) -> String {
    let (what, advice) = match error.class {
        ErrorClass::Network => ("无法连接到模型", ""),
        ErrorClass::Timeout => ("模型没有及时回应", ""),
        ErrorClass::Truncated => ("模型的回复中途断开", ""),
        ErrorClass::Empty => ("模型没有给出回答", ""),
        ErrorClass::RateLimited => ("模型目前不再接受请求", ""),
        ErrorClass::Overloaded => ("模型过载", ""),
        ErrorClass::Server => ("模型的服务器出错", ""),
        ErrorClass::Protocol => ("无法读取模型的回复", ""),
        ErrorClass::Auth => ("模型不接受密钥", "请检查密钥。"),
        ErrorClass::Quota => ("模型账户已没有余额", "请检查账户。"),
        ErrorClass::Overflow => {
            ("内容超出了模型的容量", "请分次发送较少的内容，用 /new 重新开始，或换一个更大的模型。")
        }
        ErrorClass::MalformedHistory => ("模型不接受对话的格式", "请用 /new 重新开始，或换一个模型。"),
        ErrorClass::BadRequest => ("模型拒绝了请求", ""),
        ErrorClass::ContentFilter => ("模型的内容过滤器拦下了内容", "请换一种说法再试。"),
    };
    let again = error.retry_after_ms.map(|ms| format!("请在{}后再试。", duration_in_chinese(ms)));
    format!("{what}{}。{advice}{}", cause(error, "（", "）"), again.unwrap_or_default())
}

fn cause(error: &ModelError, open: &str, close: &str) -> String {
    if error.message.trim().is_empty() { String::new() } else { format!("{open}{}{close}", error.message) }
}

fn duration_in_english(ms: u64) -> String {
    match duration(ms) {
        Duration::Seconds(1) => "1 second".into(),
        Duration::Seconds(seconds) => format!("{seconds} seconds"),
        Duration::Minutes(minutes) => format!("{minutes} minutes"),
        Duration::Hours(hours) => format!("{hours} hours"),
    }
}

fn duration_in_chinese(ms: u64) -> String {
    match duration(ms) {
        Duration::Seconds(seconds) => format!(" {seconds} 秒"),
        Duration::Minutes(minutes) => format!(" {minutes} 分钟"),
        Duration::Hours(hours) => format!(" {hours} 小时"),
    }
}

/// A time in the unit in which people say it, rounded up. Minutes and hours begin at two.
enum Duration {
    Seconds(u64),
    Minutes(u64),
    Hours(u64),
}

fn duration(ms: u64) -> Duration {
    match ms.div_ceil(1000) {
        seconds @ 0..120 => Duration::Seconds(seconds),
        seconds @ 120..7_200 => Duration::Minutes(seconds.div_ceil(60)),
        seconds => Duration::Hours(seconds.div_ceil(3600)),
    }
}
