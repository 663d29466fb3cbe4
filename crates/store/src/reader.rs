//! Reading, beside the writer or without one.

use std::path::Path;
use std::sync::Arc;

use chat::{ConversationKey, Seq};
use crossbeam_queue::ArrayQueue;
use rusqlite::Connection;

use crate::folder::Folder;
use crate::tables::{conversations, deliveries, inbox, messages, turns};
use crate::verify::{self, Report};
use crate::{OpenError, ReadError, Recovered, RecoveredTurn, Settings, StoredConversation, connection, inspect};

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

    /// Reads what an earlier process left open. While one writes, it is what that one has in hand.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn recover(&self) -> Result<Recovered, ReadError> {
        self.read(|moment| {
            let mut recovered = Recovered {
                turns: Vec::new(),
                waiting: inbox::waiting(moment)?,
                deliveries: deliveries::unsent(moment)?,
            };
            for (turn, key, attempts) in turns::unfinished(moment)? {
                let inbox = inbox::of_turn(moment, turn)?;
                recovered.turns.push(RecoveredTurn { turn, key, attempts, inbox });
            }
            Ok(recovered)
        })
    }

    /// Counts everything anew, and looks for what must not be.
    ///
    /// # Errors
    ///
    /// When the file cannot be read at all; damage that can be read around is a finding.
    pub fn verify(&self) -> Result<Report, ReadError> {
        self.read(|moment| Ok(verify::verify(moment)?))
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
