//! What the bot says about who may talk to it.

use chat::{ChannelName, Language, PersonRole};

use Language::{Chinese, English};

/// One text in both languages.
macro_rules! texts {
    ($($name:ident: $english:literal, $chinese:literal;)*) => {
        $(pub(crate) fn $name(language: Language) -> String {
            match language { English => $english, Chinese => $chinese }.to_owned()
        })*

        #[cfg(test)]
        const TEXTS: &[fn(Language) -> String] = &[$($name),*];
    };
}

texts! {
    you_are_the_owner: "You are the owner of this bot now. Write what you want to have done; /help lists commands.",
        "你现在是这个机器人的主人。直接写下要做的事；/help 列出命令。";
    you_are_in: "You may talk to this bot now.", "现在你可以和这个机器人对话了。";
    group_is_off: "This group is off. Write /enable to switch it on; whoever is here is a guest then.",
        "这个群还没有启用。发送 /enable 启用；群里的人届时都是访客。";
    enabled: "The group is on: the bot answers where it is mentioned or replied to. Turns here are a guest's, without tools for this machine; /cap changes that.",
        "已启用本群：提到机器人或回复它时它会回答。这里的任务只有访客权限，不能使用本机工具；/cap 可以更改。";
    disabled: "The group is off.", "已停用本群。";
    cap_usage: "Write what turns in this group may do at most: /cap guest, /cap trusted or /cap owner",
        "请写明本群任务的最高权限：/cap guest、/cap trusted 或 /cap owner";
    only_in_groups: "This is for groups alone.", "这个命令只能在群里使用。";
    only_the_owner: "Only the owner can decide that.", "只有主人可以决定。";
    not_yours: "This is somebody else's turn; they or the owner can stop or change it.",
        "这是别人的任务；只有本人或主人可以停止或更改。";
    code_is_over: "This code is no longer valid.", "这个代码已经失效。";
    not_let_in: "Not let in.", "没有允许。";
    as_guest: "As a guest", "作为访客";
    as_trusted: "As trusted", "作为可信的人";
    yes: "Yes", "是";
    no: "No", "否";
}

pub(crate) fn your_code(language: Language, code: &str) -> String {
    match language {
        English => {
            format!("This bot does not know you yet. Give its owner this code: {code}\nIt is valid for an hour.")
        }
        Chinese => format!("这个机器人还不认识你。请把这个代码交给它的主人：{code}\n一小时内有效。"),
    }
}

pub(crate) fn let_in(language: Language, name: &str, id: &str, channel: &ChannelName, code: &str) -> String {
    match language {
        English => format!("{name} (id {id}, {channel}) wants to talk to this bot. Their code: {code}"),
        Chinese => format!("{name}（id {id}，{channel}）想和这个机器人对话。代码：{code}"),
    }
}

pub(crate) fn let_group_in(language: Language, name: &str, id: &str, chat: &str, channel: &ChannelName) -> String {
    match language {
        English => {
            format!("{name} (id {id}) called this bot in the group {chat} ({channel}), which is off. Switch it on?")
        }
        Chinese => format!("{name}（id {id}）在群 {chat}（{channel}）里叫了这个机器人，该群尚未启用。要启用吗？"),
    }
}

pub(crate) fn let_in_now(language: Language, name: &str) -> String {
    match language {
        English => format!("{name} may talk to the bot now."),
        Chinese => format!("{name} 现在可以和机器人对话了。"),
    }
}

pub(crate) fn capped(language: Language, cap: PersonRole) -> String {
    match (language, cap) {
        (English, PersonRole::Owner) => "Careful: in this group the owner's turns may do everything now, a shell among it, and everybody here sees and steers by their words what comes of it. Trusted people may have files read and written.",
        (Chinese, PersonRole::Owner) => "注意：现在主人在本群的任务可以做任何事，包括执行命令；群里所有人都看得到结果，他们的话也会影响任务。可信的人可以读写文件。",
        (English, PersonRole::Trusted) => "Careful: in this group trusted people's turns may read and write files of this machine now, and everybody here sees what comes of it.",
        (Chinese, PersonRole::Trusted) => "注意：现在可信的人在本群的任务可以读写本机文件，群里所有人都看得到结果。",
        (English, _) => "Turns in this group are a guest's: without tools for this machine.",
        (Chinese, _) => "本群的任务只有访客权限：不能使用本机工具。",
    }
    .to_owned()
}

pub(crate) fn is_deaf(language: Language, channel: &ChannelName, minutes: u64) -> String {
    match language {
        English => format!("The channel {channel} has not worked for {minutes} minutes; `cowhand status` says more."),
        Chinese => format!("通道 {channel} 已经 {minutes} 分钟没有工作；`cowhand status` 可查看详情。"),
    }
}

pub(crate) fn works_again(language: Language, channel: &ChannelName) -> String {
    match language {
        English => format!("The channel {channel} works again."),
        Chinese => format!("通道 {channel} 恢复了。"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_on_access_is_the_same_in_both_languages() {
        for text in TEXTS {
            assert_ne!(text(English), text(Chinese));
        }
    }
}
