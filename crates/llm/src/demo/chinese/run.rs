//! Wishes to have a command run.

use super::super::lexer::Kind;
use super::super::lists::{begins, is_in};
use super::super::path;
use super::super::shell::{shell_word, start_script};
use super::super::wish::{Gap, Wish};
use super::Request;
use super::clause::Clause;
use super::pieces::Piece;
use super::vocabulary::RUNNING;

const TIME: &str = "现在几点|几点了|几点钟|今天几号|今天是几号|星期几|礼拜几|什么时间|现在时间|当前时间|现在的时间|今天日期|\
     今天的日期|当前日期|什么日期|什么时候了|现在是几点|几点";

const WHERE: &str = "当前路径|我在哪个目录|我在哪个文件夹|我现在在哪|我们在哪|在哪个目录|在哪个文件夹|当前目录是什么|当前目录在哪|\
     当前目录是哪|工作目录是|工作路径|当前目录的路径";

/// Programs whose names alone are a command in a Chinese sentence.
const PROGRAMS: &str = "ls|pwd|date|whoami|uname|df|du|ps|uptime|hostname|git|echo|cat|wc|grep|find|env|id|cargo|python3|node|npm|tree|\
     head|tail|free";

impl<'a> Request<'a> {
    /// `运行 …`, `执行 …`; `date 命令的输出`; a command as it stands; the time and the place.
    pub(super) fn run(&self, clause: &Clause<'_, 'a>) -> Option<Wish> {
        if clause.items().next().is_none() && clause.has(TIME) {
            return Some(Wish::Run("date".into()));
        }
        if clause.items().next().is_none() && clause.has(WHERE) {
            return Some(Wish::Run("pwd".into()));
        }
        if clause.starts_with_any(RUNNING) {
            return self.command(clause);
        }
        if let Some((start, _)) = clause.find(RUNNING).filter(|_| begins(clause.head().line(), "用|使用")) {
            return self.command(&clause.part(start, clause.pieces.len()));
        }
        let command = self.typed(clause)?;
        let [first, ..] = clause.pieces else { return None };
        let alone = first.is_item() && clause.pieces.iter().all(Piece::is_item);
        let code = first.token.kind == Kind::Code && !path::looks_like_path(first.token.text);
        let program = is_in(first.token.text, PROGRAMS);
        let output = clause.has("命令|的输出|的结果|运行|执行|跑一下") && !clause.has("写到|写入|保存");
        let asked = output
            && clause.items().any(|(_, piece)| piece.token.kind == Kind::Code || is_in(piece.token.text, PROGRAMS));
        ((alone && (code || program)) || asked).then_some(Wish::Run(command))
    }

    fn command(&self, clause: &Clause<'_, 'a>) -> Option<Wish> {
        if let Some(command) = self.typed(clause) {
            return Some(Wish::Run(command));
        }
        if clause.has("它|这个脚本|这个文件|该脚本|该文件") {
            return Some(
                self.file.as_deref().map_or(Wish::Unclear(Gap::Command), |file| Wish::Run(start_script(file))),
            );
        }
        clause.has("命令").then_some(Wish::Unclear(Gap::Command))
    }

    /// The command in a clause: what is quoted, else what is typed until the next Chinese character.
    fn typed(&self, clause: &Clause<'_, 'a>) -> Option<String> {
        let (start, first) = clause.items().next()?;
        let code = clause.items().find(|(_, piece)| matches!(piece.token.kind, Kind::Code | Kind::Fence));
        if let Some((at, code)) = code {
            let command = code.token.text.trim();
            let folder = (at > start && clause.has("在")).then_some(first.token.text);
            return Some(
                folder.map_or_else(|| command.to_owned(), |folder| format!("cd {} && {command}", shell_word(folder))),
            );
        }
        if first.token.is_quote() {
            return Some(first.token.text.trim().to_owned());
        }
        let shell = |piece: &Piece<'_>| piece.is_item() || "|<>&$*;(){}[]=+-/\\~^%#@".contains(piece.character);
        let length = clause.pieces[start..].iter().take_while(|piece| shell(piece)).count();
        if length == 1 && first.token.kind == Kind::Name {
            return Some(start_script(first.token.text));
        }
        let end = start + length;
        let next = clause.pieces.get(end).filter(|next| self.text[..next.token.start].ends_with(' '));
        let next = next.filter(|_| {
            !begins(
                clause.part(end, clause.pieces.len()).line(),
                "吗|么|吧|呢|好|这个|这条|命令|一下|看看|给我|脚本|程序",
            )
        });
        // Chinese words behind a space are arguments: `运行 echo 你好`.
        let end = if next.is_some() { clause.pieces.len() } else { end };
        Some(clause.part(start, end).text(self.text).to_owned())
    }
}
