//! Reading, beside the writer or without one.

use std::path::Path;
use std::sync::Arc;

use chat::{ChannelName, ConversationKey, Seq, TurnId};
use crossbeam_queue::ArrayQueue;
use rusqlite::Connection;

use crate::folder::Folder;
use crate::tables::{access, conversations, deliveries, inbox, messages, overview, parts, turn_events, turns};
use crate::verify::{self, Moment, Report};
use crate::{
    FoundMessage, KnownConversation, OpenDelivery, OpenError, ReadError, Recovered, RecoveredTurn, Settings,
    StoredAccess, StoredConversation, StoredEvent, ToldMessage, connection, inspect,
};

/// Connections that are kept open between reads: opening one takes as long as several reads.
const IDLE: usize = 4;

/// Reads a ledger. It changes nothing and needs no lock; each call sees one moment of the ledger, and blocks while it reads.
#[derive(Clone, Debug)]
pub struct Reader {
    folder: Folder,
    settings: Settings,
    idle: Arc<ArrayQueue<Connection>>,
}

impl Reader {
    pub(crate) fn new(folder: Folder, settings: Settings) -> Self {
        Self { folder, settings, idle: Arc::new(ArrayQueue::new(IDLE)) }
    }

    pub(crate) fn open(folder: &Path) -> Result<Self, OpenError> {
        let reader = Self::new(Folder::existing(folder)?, Settings::default());
        inspect::for_reading(&reader.folder, &reader.settings)?;
        Ok(reader)
    }

    /// Opens a ledger's file, whatever its name: a copy, say.
    ///
    /// # Errors
    ///
    /// As for [`crate::Ledger::open_read_only`].
    pub fn open_file(file: &Path) -> Result<Self, OpenError> {
        let reader = Self::new(Folder::of_file(file)?, Settings::default());
        inspect::for_reading(&reader.folder, &reader.settings)?;
        Ok(reader)
    }

    /// Reads a conversation whole, where there is one.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or what it holds is not what was written.
    pub fn load(&self, key: &ConversationKey) -> Result<Option<StoredConversation>, ReadError> {
        self.read(|moment| {
            let Some(row) = conversations::find(moment, key)? else { return Ok(None) };
            let mut messages = Vec::new();
            for (place, (seq, message)) in (0..).map(Seq).zip(messages::of_conversation(moment, row.id)?) {
                if seq != place {
                    return Err(ReadError::Gap { key: Box::new(key.clone()), seq: place });
                }
                messages.push(message);
            }
            Ok(Some(StoredConversation { key: key.clone(), view: row.view, messages, last_active: row.last_active }))
        })
    }

    /// Reads what is open in a conversation.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn left_open(&self, key: &ConversationKey) -> Result<Recovered, ReadError> {
        self.read(|moment| match conversations::find(moment, key)? {
            Some(row) => Ok(open_work(moment, row.id, key)?),
            None => Ok(Recovered::default()),
        })
    }

    /// Reads what an earlier process left open in any conversation. While one writes, it is what that one has in hand.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn recover(&self) -> Result<Recovered, ReadError> {
        self.read(|moment| {
            let mut all = Recovered::default();
            for (id, key) in conversations::with_open_work(moment)? {
                let one = open_work(moment, id, &key)?;
                all.turns.extend(one.turns);
                all.waiting.extend(one.waiting);
                all.deliveries.extend(one.deliveries);
            }
            all.turns.sort_by_key(|turn| turn.turn);
            all.waiting.sort_by_key(|waiting| waiting.inbox);
            all.deliveries.sort_by_key(|unsent| unsent.outbound.id);
            Ok(all)
        })
    }

    /// The conversations in which a message, a turn or a delivery is open, those first that are known the longest.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn with_open_work(&self) -> Result<Vec<ConversationKey>, ReadError> {
        self.read(|moment| Ok(conversations::with_open_work(moment)?.into_iter().map(|(_, key)| key).collect()))
    }

    /// Reads what happened to a turn, event 0 first; nothing where it is not on record.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn turn_events(&self, turn: TurnId) -> Result<Vec<StoredEvent>, ReadError> {
        self.read(|moment| Ok(turn_events::of_turn(moment, turn)?))
    }

    /// Reads the deliveries of a channel of which it is not known that they are out, in their order.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn open_deliveries(&self, channel: &ChannelName) -> Result<Vec<OpenDelivery>, ReadError> {
        self.read(|moment| {
            let unsent = deliveries::all_unsent(moment)?.into_iter();
            let here = unsent.filter(|outbound| outbound.key.channel == *channel).map(|outbound| {
                let placeholder = parts::placeholder(moment, outbound.id)?;
                Ok(OpenDelivery { parts: parts::of_delivery(moment, outbound.id)?, outbound, placeholder })
            });
            here.collect()
        })
    }

    /// Reads which messages of a channel show turns at work that have not ended.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn placeholders(&self, channel: &ChannelName) -> Result<Vec<(ConversationKey, TurnId, String)>, ReadError> {
        self.read(|moment| {
            let mut showing = parts::showing(moment)?;
            showing.retain(|(key, ..)| key.channel == *channel);
            Ok(showing)
        })
    }

    /// Reads who may talk to the bot.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn access(&self) -> Result<StoredAccess, ReadError> {
        self.read(|moment| Ok(access::all(moment)?))
    }

    /// Reads how often strangers wrote on a channel, ever.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn tallied(&self, channel: &ChannelName) -> Result<i64, ReadError> {
        self.read(|moment| Ok(access::tallied(moment, channel)?))
    }

    /// All conversations, the one that was active last first.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn conversations(&self) -> Result<Vec<KnownConversation>, ReadError> {
        self.read(|moment| Ok(overview::conversations(moment)?))
    }

    /// The messages of a conversation with where they come from, oldest first; none where there is no such conversation.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn told(&self, key: &ConversationKey) -> Result<Vec<ToldMessage>, ReadError> {
        self.read(|moment| match conversations::find(moment, key)? {
            Some(row) => Ok(overview::told(moment, row.id)?),
            None => Ok(Vec::new()),
        })
    }

    /// The messages in which people see this text, newest first; the case of ASCII letters does not matter.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn search(&self, text: &str, most: u32) -> Result<Vec<FoundMessage>, ReadError> {
        self.read(|moment| Ok(overview::search(moment, text, most)?))
    }

    /// Counts everything anew, and looks for what must not be.
    ///
    /// # Errors
    ///
    /// When the file cannot be read at all; damage that can be read around is a finding.
    pub fn verify(&self) -> Result<Report, ReadError> {
        self.read(|moment| Ok(verify::verify(moment, Moment::AtWork)?))
    }

    /// The same of a ledger that nobody works on: what is open without a time at which it goes on is a finding too.
    ///
    /// # Errors
    ///
    /// As for [`Reader::verify`].
    pub fn verify_at_rest(&self) -> Result<Report, ReadError> {
        self.read(|moment| Ok(verify::verify(moment, Moment::AtRest)?))
    }

    /// Closes the connections that are kept, so that the last one to write can tidy up behind itself.
    pub(crate) fn release(&self) {
        while self.idle.pop().is_some() {}
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let mut connection = match self.idle.pop() {
            Some(connection) => connection,
            None => connection::reader(&self.folder.database(), self.settings.busy())?,
        };
        let moment = connection.transaction()?;
        let value = read(&moment)?;
        moment.finish()?;
        // One for which there is no room is closed, as is one with which something went wrong.
        drop(self.idle.push(connection));
        Ok(value)
    }
}

fn open_work(moment: &Connection, conversation: i64, key: &ConversationKey) -> rusqlite::Result<Recovered> {
    let mut open = Recovered {
        turns: Vec::new(),
        waiting: inbox::waiting(moment, conversation)?,
        deliveries: deliveries::unsent(moment, conversation)?,
    };
    for unsent in &mut open.deliveries {
        if let Some(id) = &unsent.outbound.reply_to {
            unsent.answers = inbox::message(moment, key, id)?;
        }
    }
    for turns::Open { turn, attempts, stop_asked, suspended, next_event } in turns::unfinished(moment, conversation)? {
        let inbox = inbox::of_turn(moment, conversation, turn)?;
        let key = key.clone();
        open.turns.push(RecoveredTurn { turn, key, attempts, inbox, stop_asked, suspended, next_event });
    }
    Ok(open)
}
