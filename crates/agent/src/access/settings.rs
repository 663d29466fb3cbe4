//! Who has access by what is written in the settings.

use std::fmt;

use chat::PersonRole;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Who may talk to the bot in one chat service, beside those who were let in while it ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelAccess {
    /// Ids of those who may do everything.
    pub owners: Vec<PersonId>,
    /// Ids of those who may do everything but use a shell.
    pub trusted: Vec<PersonId>,
    /// Ids of those who may talk.
    pub guests: Vec<PersonId>,
    /// Whether everybody who writes in private is a guest.
    pub open: bool,
    /// Of talk in a group in which the bot was not meant, how many messages it is told with the next one that is for it.
    pub observe: usize,
}

impl ChannelAccess {
    pub(crate) fn role_of(&self, person: &str) -> Option<PersonRole> {
        let is_there = |list: &[PersonId]| list.iter().any(|id| id.0 == person);
        let lists = [
            (PersonRole::Owner, &self.owners),
            (PersonRole::Trusted, &self.trusted),
            (PersonRole::Guest, &self.guests),
        ];
        lists.into_iter().find(|(_, list)| is_there(list)).map(|(role, _)| role)
    }
}

/// The number by which a chat service knows a person. Names change hands, so none is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PersonId(String);

impl<'de> Deserialize<'de> for PersonId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = PersonId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number by which the chat service knows a person")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PersonId, E> {
        let text = text.trim();
        if !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(PersonId(text.to_owned()));
        }
        Err(E::custom(format!(
            "{text:?} is not a person's number; names can be taken over by others, so only numbers are taken: whoever writes \
             to the bot is shown with theirs"
        )))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<PersonId, E> {
        Ok(PersonId(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<PersonId, E> {
        self.visit_str(&number.to_string())
    }
}
