//! Small talk, who are you, what can you do; and what is no wish at all.

use super::super::lists::{begins, each, is_in};
use super::super::wish::Wish;
use super::clause::Clause;

const GREETINGS: &str =
    "你好|您好|嗨|哈喽|哈啰|早上好|早安|早|晚上好|下午好|中午好|在吗|在不在|有人吗|大家好|最近好吗|最近怎么样";

const THANKS: &str = "谢谢|多谢|感谢|辛苦了|太棒了|干得好|非常感谢";

const GOODBYES: &str = "再见|拜拜|回头见|下次见|晚安|明天见|先这样";

const WHO: &str = "你是谁|您是谁|你是什么|你是哪|你叫什么|你叫啥|怎么称呼|你的名字|介绍一下你自己|介绍你自己|介绍下你自己|\
     介绍一下自己|介绍自己|自我介绍|哪个模型|什么模型|哪种模型|啥模型|什么大模型|你是不是|是机器人吗|是人吗|是真人吗|\
     是ai吗|是人工智能|谁开发|谁做的你|谁创造|谁制作|你的作者|你的开发者|你是个什么|我在和谁|我在跟谁|你是真的|\
     你是演示|你的身份|你是一个什么|是大模型|是模型|是语言模型";

const HELP: &str = "你能做什么|你能做些什么|你能干什么|你能干嘛|你能干啥|你会什么|你会做什么|你会干什么|你会些什么|你可以做什么|\
     你可以做些什么|你可以干什么|能帮我做什么|可以帮我做什么|能帮我什么|能为我做什么|可以帮我什么|有什么功能|\
     有哪些功能|什么功能|哪些功能|有什么本事|有什么能力|有哪些能力|有什么用|怎么用|如何使用|怎么使用|怎样使用|\
     使用说明|使用方法|用法|功能介绍|帮助|帮帮我|怎么接入|如何接入|怎么配置|怎么连接|真正的模型|有什么工具|会些什么|\
     你的功能|有什么可以帮|什么可以帮|该怎么用|帮我做些什么|帮我做什么|为我做些什么|支持什么|支持哪些|什么命令|\
     哪些命令";

/// What a clause is when it is no work.
pub(super) fn small_talk(clause: &Clause<'_, '_>) -> Option<Wish> {
    if clause.items().any(|(_, piece)| piece.is_name()) {
        return None;
    }
    let asks_model = clause.items().any(|(_, piece)| is_model(piece.token.text)) && clause.has("你是");
    let ability =
        begins(clause.line(), "你能|你会|你可以|您能") && clause.has("吗|么|?|？") && clause.has("文件|命令|目录");
    if clause.has(HELP) || (ability && clause.line().chars().count() <= 8 && clause.items().next().is_none()) {
        Some(Wish::Help)
    } else if clause.has(WHO) || asks_model || (clause.has("你|您") && clause.has("是谁|什么名字|什么东西"))
    {
        Some(Wish::Introduce)
    } else if is_courtesy(clause, GREETINGS) {
        Some(Wish::Greet)
    } else if is_courtesy(clause, THANKS) {
        Some(Wish::Thank)
    } else {
        is_courtesy(clause, GOODBYES).then_some(Wish::Leave)
    }
}

fn is_model(word: &str) -> bool {
    let names = "chatgpt|gpt|claude|gemini|deepseek|qwen|kimi|llama|grok";
    is_in(&word.to_lowercase(), "ai|bot|llm") || begins(&word.to_lowercase(), names)
}

/// Whether one of the words is in it, and nothing else that means something.
fn is_courtesy(clause: &Clause<'_, '_>, words: &str) -> bool {
    let around = "请问|你|您|了|啊|呀|呢|吧|的|很|非常|真|大家|朋友|小|助手|机器人|！|，|~|哦|好";
    let mut rest = clause.line().to_owned();
    if !clause.has(words) {
        return false;
    }
    for word in each(words).chain(each(around)) {
        rest = rest.replace(word, "");
    }
    rest.trim().is_empty()
}

/// Whether the meaning of a word is asked for.
pub(super) fn is_definition(clause: &Clause<'_, '_>) -> bool {
    let head = clause.head();
    begins(head.line(), "什么是|啥是|何为") || clause.has("什么意思|是指什么")
}

/// Whether something is asked not to be done.
pub(super) fn is_negated(clause: &Clause<'_, '_>) -> bool {
    let head = clause.head();
    begins(head.line(), "不要|别|请勿|勿|不用|不必|无需|不许|禁止")
}

/// Whether something is told rather than asked for: `我昨天读了一本书`.
pub(super) fn is_statement(clause: &Clause<'_, '_>) -> bool {
    let asks = "什么|吗|哪|？|?|多少|几|啥|能不能|可以|请|帮|想|要|希望|给我|让我|麻烦";
    let tells = "我|他|她|它|我们|他们|昨天|今天|刚才|刚刚|上周|去年|有人|大家";
    let past = "了|过|正在|喜欢|每天|经常|昨天|刚才";
    let told = begins(clause.line(), tells) && !clause.line().starts_with("我的");
    told && !clause.has(asks) && clause.has(past)
}

/// Whether it asks for the output of something.
pub(super) fn asks_for_output(clause: &Clause<'_, '_>) -> bool {
    let head = clause.head();
    begins(head.line(), "结果|输出") || clause.line().starts_with("告诉我结果")
}

/// Whether it asks for the result of what was just asked for, which is shown anyway.
pub(super) fn is_about_result(clause: &Clause<'_, '_>) -> bool {
    let clause = clause.without_courtesies();
    let asks = clause.has("结果|输出|返回") && clause.items().next().is_none();
    asks && clause.line().chars().count() <= 12
}
