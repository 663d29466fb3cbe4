//! Buttons that were pressed. Each press is answered, whatever became of it.

use chat::{PersonRole, Press, ToChannel, TurnId};
use store::{AccessChange, ChatAccess};

use super::{IntakeState, commands};
use crate::supervisor::{SupervisorMessage, Word};
use crate::wording;

impl IntakeState {
    pub(super) fn pressed(&mut self, mut press: Press) {
        press.key = self.key_of_today(press.key);
        if press.person.role == PersonRole::Stranger {
            press.person.role = self.access.role_of(&press.key.channel, &press.person.id);
        }
        let data = press.data.clone();
        let parts: Vec<&str> = data.split(':').collect();
        let answer = match parts.as_slice() {
            ["stop", turn] => match turn.parse() {
                Ok(turn) => return self.stop_by_press(TurnId(turn), press),
                Err(_) => None,
            },
            ["pair" | "allow", ..] if press.person.role != PersonRole::Owner => {
                Some(wording::access::only_the_owner(press.person.language))
            }
            ["pair", code, what] => Some(self.pair_by_press(&press, code, what)),
            ["allow", channel, chat, what] => Some(self.allow_by_press(&press, channel, chat, what)),
            _ => None,
        };
        self.say(ToChannel::PressAnswered { key: press.key, id: press.id, text: answer });
    }

    fn stop_by_press(&self, turn: TurnId, press: Press) {
        let key = press.key.clone();
        let _ =
            self.supervisor.cast(SupervisorMessage::Tell { key, word: Word::Pressed { turn, press: Box::new(press) } });
    }

    fn pair_by_press(&mut self, press: &Press, code: &str, what: &str) -> String {
        let language = press.person.language;
        let done = match commands::role(what) {
            Some(role) => self.pair(code, role).map(|grant| wording::access::let_in_now(language, &grant.name)),
            None => self.turn_away(code).then(|| wording::access::not_let_in(language)),
        };
        done.unwrap_or_else(|| wording::access::code_is_over(language))
    }

    fn allow_by_press(&mut self, press: &Press, channel: &str, chat: &str, what: &str) -> String {
        let language = press.person.language;
        let enabled = what == "yes";
        let known = self.access.chat(&chat::ChannelName(channel.to_owned()), chat);
        self.change(AccessChange::Chat(ChatAccess { enabled, ..known }), None, Vec::new());
        if enabled { wording::access::enabled(language) } else { wording::access::not_let_in(language) }
    }
}
