//! What the demo model says, in English and in Chinese.

use chat::Language;

use super::answer::{beginning, block, code, output, page};
use super::wish::{Gap, Unit};

/// How the demo model speaks in one request.
pub(super) struct Wording {
    pub(super) language: Language,
    /// The tools it can use, by name.
    pub(super) tools: Vec<&'static str>,
    /// Whether it has to come to an end although more was wanted.
    pub(super) is_cut_short: bool,
}

impl Wording {
    fn say<'a>(&self, english: &'a str, chinese: &'a str) -> &'a str {
        match self.language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    fn with(&self, english: &str, chinese: &str, what: &str) -> String {
        self.say(english, chinese).replace("{}", what)
    }

    fn place(&self, folder: &str) -> String {
        if folder == "." {
            self.say("the working folder", "当前目录").to_owned()
        } else {
            self.with("{}", "{} ", &code(folder))
        }
    }

    /// A sentence, and what it announces.
    fn announced(&self, sentence: &str, text: &str) -> String {
        let (shown, cut) = beginning(text);
        let mut said = format!("{sentence}\n\n{}", block(shown));
        if let Some((shown, all)) = cut {
            let note = self.say("(the first {} of {all} lines)", "（共 {all} 行，这里是前 {} 行）");
            said.push_str(&format!(
                "\n\n{}",
                note.replace("{}", &shown.to_string()).replace("{all}", &all.to_string())
            ));
        }
        said
    }

    pub(super) fn listing(&self, folder: &str, listing: &str) -> String {
        self.announced(&self.with("Here is what is in {}:", "{}里有：", &self.place(folder)), listing)
    }

    pub(super) fn content(&self, path: &str, shown: &str) -> String {
        if shown.is_empty() || (shown.starts_with('(') && shown.ends_with("is empty)")) {
            return self.with("{} is empty.", "{} 是空的。", &code(path));
        }
        let page = page(shown);
        let mut said = self.announced(&self.with("Here is {}:", "{} 的内容：", &code(path)), &page.text);
        for note in page.notes {
            said.push_str(&format!("\n\n{note}"));
        }
        said
    }

    pub(super) fn written(&self, path: &str, content: &str) -> String {
        if content.is_empty() {
            return self.created(path);
        }
        self.announced(&self.with("Done. {} now holds:", "写好了。{} 现在的内容：", &code(path)), content)
    }

    pub(super) fn created(&self, path: &str) -> String {
        self.with("Done. I created {}, which is empty.", "已创建空文件 {}。", &code(path))
    }

    pub(super) fn exists(&self, path: &str) -> String {
        self.with("{} is there already; I left it as it is.", "{} 已经存在，我没有改动它。", &code(path))
    }

    pub(super) fn appended(&self, path: &str, content: &str) -> String {
        self.announced(&self.with("Done. I added this at the end of {}:", "已在 {} 末尾加上：", &code(path)), content)
    }

    pub(super) fn counted(&self, path: &str, number: u64, unit: Unit) -> String {
        let (one, many, chinese) = match unit {
            Unit::Lines => ("line", "lines", "行"),
            Unit::Words => ("word", "words", "个单词"),
            Unit::Characters => ("character", "characters", "个字符"),
        };
        let unit = if number == 1 { one } else { many };
        let text = self.say("{path} has {number} {unit}.", "{path} 有 {number} {chinese}。");
        text.replace("{number}", &number.to_string())
            .replace("{unit}", unit)
            .replace("{chinese}", chinese)
            .replace("{path}", &code(path))
    }

    pub(super) fn ran(&self, command: &str, shown: &str) -> String {
        let text = output(shown);
        if text.is_empty() {
            return self.with("I ran {}. It printed nothing.", "已运行 {}，没有输出。", &code(command));
        }
        self.announced(&self.with("I ran {}. It printed:", "已运行 {}，输出：", &code(command)), text)
    }

    pub(super) fn command_failed(&self, command: &str, shown: &str) -> String {
        self.announced(&self.with("{} did not succeed:", "{} 没有成功：", &code(command)), shown.trim())
    }

    pub(super) fn failure(&self, reason: &str) -> String {
        let reason = reason.trim();
        if reason.lines().count() > 1 {
            return self.announced(self.say("That did not work:", "没有成功："), reason);
        }
        self.with("That did not work: {}", "没有成功：{}", reason)
    }

    pub(super) fn not_found(&self, name: &str) -> String {
        self.with(
            "I find nothing called {} in the working folder. Asked with its exact name I would try elsewhere: `read docs/notes.txt`.",
            "当前目录里没有叫 {} 的文件。请写出完整的文件名，例如：`读取 docs/notes.txt`。",
            &code(name),
        )
    }

    pub(super) fn missing(&self, tool: &str) -> String {
        if self.is_cut_short {
            return self.say("I got no further than this.", "我只做到这里。").to_owned();
        }
        self.with(
            "For that I would need the tool {}, which is not offered to me here.",
            "这需要工具 {}，但这里没有提供给我。",
            &code(tool),
        )
    }

    pub(super) fn rest_undone(&self) -> String {
        self.say("So I left the rest undone.", "所以其余的我没有做。").to_owned()
    }

    pub(super) fn unclear(&self, gap: Gap) -> String {
        let (english, chinese) = match gap {
            Gap::File => {
                ("Which file do you mean? For example: `read README.md`", "是哪个文件？例如：`读取 README.md`")
            }
            Gap::Content => (
                "What is to be in the file? For example: `write \"hello\" to notes.txt`",
                "要写什么内容？例如：`把“你好”写到 notes.txt`",
            ),
            Gap::Command => ("Which command? For example: run `date`", "要运行什么命令？例如：运行 `date`"),
        };
        self.say(english, chinese).to_owned()
    }

    pub(super) fn introduction(&self) -> String {
        let said = self.say(
            "I am the demo model of Cowhand: a small built-in program that recognises a few wishes. I am not a language model, \
             and none answers here.",
            "我是 Cowhand 的演示模型：一个内置的小程序，只认得几种请求。我不是语言模型，背后也没有语言模型。",
        );
        format!("{said}\n\n{}\n\n{}", self.abilities(), self.connecting())
    }

    pub(super) fn greeting(&self) -> String {
        let said = self.say(
            "Hello! I am Cowhand's small built-in demo, without a language model.",
            "你好！我是 Cowhand 内置的小演示，没有语言模型。",
        );
        format!("{said} {}\n\n{}", self.abilities(), self.connecting())
    }

    pub(super) fn thanks(&self) -> String {
        self.say("You are welcome.", "不客气。").to_owned()
    }

    pub(super) fn goodbye(&self) -> String {
        self.say("Goodbye!", "再见！").to_owned()
    }

    pub(super) fn help(&self) -> String {
        let said = self.say("I am a small built-in demo without a language model.", "我是内置的小演示，没有语言模型。");
        format!("{said} {}\n\n{}", self.abilities(), self.connecting())
    }

    pub(super) fn unknown(&self, has_more: bool) -> String {
        if has_more {
            return self.say("The rest I did not understand.", "其余的我没有看懂。").to_owned();
        }
        let said = self.say(
            "I did not understand that: I am a small built-in demo without a language model.",
            "我没有看懂：我只是内置的小演示，没有语言模型。",
        );
        format!("{said} {}\n\n{}", self.abilities(), self.connecting())
    }

    pub(super) fn compose(&self) -> String {
        let said = self.say(
            "Making up, explaining or changing texts takes a language model, and I am a small built-in demo without one.",
            "编写、解释或修改文字需要语言模型，而我只是内置的小演示，没有语言模型。",
        );
        format!("{said} {}", self.connecting())
    }

    pub(super) fn image(&self) -> String {
        let said = self.say(
            "I cannot see pictures: I am a small built-in demo without a language model.",
            "我看不到图片：我只是内置的小演示，没有语言模型。",
        );
        format!("{said} {}", self.connecting())
    }

    pub(super) fn empty(&self) -> String {
        let said = self.say("There is no text in your message.", "您的消息里没有文字。");
        format!("{said} {}", self.abilities())
    }

    /// What can be asked here, with an example for each tool that is there.
    fn abilities(&self) -> String {
        let examples = [
            ("ls", "- list a folder: `what is in src?`", "- 列出目录：`src 里有什么`"),
            ("read", "- read a file: `read README.md`", "- 读文件：`读取 README.md`"),
            ("write", "- write a file: `write \"hello\" to notes.txt`", "- 写文件：`把“你好”写到 notes.txt`"),
            ("bash", "- run a command: run `date`", "- 运行命令：运行 `date`"),
        ];
        let there = examples.iter().filter(|(tool, ..)| self.tools.contains(tool));
        let lines: Vec<&str> = there.map(|(_, english, chinese)| self.say(english, chinese)).collect();
        if lines.is_empty() {
            return self
                .say(
                    "Here I am offered no tools, so there is nothing I can do.",
                    "这里没有给我任何工具，所以我什么也做不了。",
                )
                .to_owned();
        }
        format!("{}\n\n{}", self.say("What I can do:", "我能做的："), lines.join("\n"))
    }

    /// How a real model is connected.
    fn connecting(&self) -> String {
        self.say(
            "To talk to a real model, set the key of a vendor (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `DEEPSEEK_API_KEY`, \
             `GEMINI_API_KEY`) and start again.",
            "要使用真正的模型，请设置一个服务商的密钥（`OPENAI_API_KEY`、`ANTHROPIC_API_KEY`、`DEEPSEEK_API_KEY`、\
             `GEMINI_API_KEY`）后重新启动。",
        )
        .to_owned()
    }
}
