//! The actor that knows which jobs there are.

use std::collections::HashMap;

use chat::ConversationKey;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::job::{self, Ask, Job, Look};
use super::{Limits, Start};
use crate::text::clip;

/// Characters of a command that a list shows.
const MOST_OF_A_COMMAND: usize = 200;

/// The actor that knows which jobs there are.
pub(super) struct Registry;

/// What can happen to it.
pub(crate) enum JobsMessage {
    /// A conversation wants one more.
    Start { start: Start, answer: oneshot::Sender<Result<String, String>> },
    /// A conversation wants to know what is new of one, and perhaps to end it.
    Look { conversation: ConversationKey, id: String, end: bool, answer: oneshot::Sender<Result<Look, String>> },
    /// A conversation wants to know which there are.
    List { conversation: ConversationKey, answer: oneshot::Sender<Vec<Listed>> },
    /// A conversation is over.
    EndConversation { conversation: ConversationKey, answer: oneshot::Sender<()> },
    /// Nothing of one runs any more; one that could not be started is not kept.
    Ended { conversation: ConversationKey, id: String, is_kept: bool },
}

/// A job, as it is listed.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) command: String,
    pub(crate) began: Instant,
    pub(crate) is_running: bool,
}

/// What it holds.
pub(super) struct State {
    limits: Limits,
    jobs: HashMap<ConversationKey, Vec<Entry>>,
    started: u64,
}

struct Entry {
    listed: Listed,
    /// Who holds it. It is gone once this is.
    task: UnboundedSender<Ask>,
}

/// The ids of a conversation's jobs, to be told to who names another.
#[derive(Default)]
pub(super) struct Jobless(Vec<String>);

impl Jobless {
    pub(super) fn unknown(&self, id: &str) -> String {
        match self.0.as_slice() {
            [] => format!("there is no job `{id}`, nor any other: none was started since Cowhand was"),
            ids => format!("there is no job `{id}`; there are: {}", ids.join(", ")),
        }
    }
}

impl Actor for Registry {
    type Msg = JobsMessage;
    type State = State;
    type Arguments = Limits;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, limits: Limits) -> Result<State, ActorProcessingErr> {
        Ok(State { limits, jobs: HashMap::new(), started: 0 })
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: JobsMessage,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            JobsMessage::Start { start, answer } => state.start(&myself, start, answer),
            JobsMessage::Look { conversation, id, end, answer } => state.look(&conversation, &id, end, answer),
            // Who asked may have gone.
            JobsMessage::List { conversation, answer } => drop(answer.send(state.list(&conversation))),
            JobsMessage::EndConversation { conversation, answer } => state.end_conversation(&conversation, answer),
            JobsMessage::Ended { conversation, id, is_kept } => state.ended(&conversation, &id, is_kept),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Self::Msg>,
        _: SupervisionEvent,
        _: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        Ok(())
    }
}

impl State {
    fn start(&mut self, myself: &ActorRef<JobsMessage>, start: Start, answer: oneshot::Sender<Result<String, String>>) {
        let jobs = self.jobs.entry(start.conversation.clone()).or_default();
        let running: Vec<&str> =
            jobs.iter().filter(|it| it.listed.is_running).map(|it| it.listed.id.as_str()).collect();
        if running.len() >= self.limits.running {
            let running = running.join(", ");
            let most = self.limits.running;
            let _ =
                answer.send(Err(format!("{most} jobs run already, and no more may: {running}; end one with `kill`")));
            return;
        }
        if jobs.len() >= self.limits.kept
            && let Some(oldest) = jobs.iter().position(|it| !it.listed.is_running)
        {
            jobs.remove(oldest);
        }
        self.started += 1;
        let id = format!("{}-{}", start.turn.0, self.started);
        let command = clip(&start.command, MOST_OF_A_COMMAND);
        let listed = Listed { id: id.clone(), command, began: Instant::now(), is_running: true };
        let job = Job { id, conversation: start.conversation, order: start.order, output: self.limits.output };
        jobs.push(Entry { listed, task: job::spawn(job, myself.clone(), answer) });
    }

    fn look(&self, conversation: &ConversationKey, id: &str, end: bool, answer: oneshot::Sender<Result<Look, String>>) {
        let jobs = self.jobs.get(conversation).map(Vec::as_slice).unwrap_or_default();
        match jobs.iter().find(|it| it.listed.id == id) {
            // A task that has gone drops the question, and who asked learns that.
            Some(entry) => drop(entry.task.send(Ask { end, answer })),
            None => {
                let ids = jobs.iter().map(|it| it.listed.id.clone()).collect();
                let _ = answer.send(Err(Jobless(ids).unknown(id)));
            }
        }
    }

    fn list(&self, conversation: &ConversationKey) -> Vec<Listed> {
        let jobs = self.jobs.get(conversation).map(Vec::as_slice).unwrap_or_default();
        jobs.iter().map(|entry| entry.listed.clone()).collect()
    }

    fn end_conversation(&mut self, conversation: &ConversationKey, answer: oneshot::Sender<()>) {
        let jobs = self.jobs.remove(conversation).unwrap_or_default();
        let ends: Vec<_> = jobs.into_iter().map(|entry| entry.end()).collect();
        tokio::spawn(async move {
            for end in ends {
                let _ = end.await;
            }
            let _ = answer.send(());
        });
    }

    fn ended(&mut self, conversation: &ConversationKey, id: &str, is_kept: bool) {
        let Some(jobs) = self.jobs.get_mut(conversation) else { return };
        if !is_kept {
            jobs.retain(|entry| entry.listed.id != id);
        } else if let Some(entry) = jobs.iter_mut().find(|entry| entry.listed.id == id) {
            entry.listed.is_running = false;
        }
    }
}

impl Entry {
    /// Asks for its end, which is there when the answer is, or when nobody is left to answer.
    fn end(self) -> oneshot::Receiver<Result<Look, String>> {
        let (answer, answered) = oneshot::channel();
        let _ = self.task.send(Ask { end: true, answer });
        answered
    }
}
