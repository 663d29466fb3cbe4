//! A bot to tell stories with: the real ledger and the real actors, a channel that is a probe, and a fake model.
//!
//! For the real binary there are `process`, `stream` and `terminal`.

pub(crate) mod process;
pub(crate) mod service;
pub(crate) mod stream;
pub(crate) mod terminal;

use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, ChannelAccess, Control, Doors, Services};
use chat::{
    ChannelName, ConversationKey, Inbound, Language, Message, MessageId, Outbound, OutboundBody, Outcome, PartState,
    Person, PersonRole, Progress, Receipt, ToChannel, WhenBusy,
};
use llm::ChatModel;
use store::{Ledger, WriterMode};
use tempfile::TempDir;
use testkit::Probe;
use tools::{Jobs, Registry, Tool};

use service::{Manner, Service};

/// The real actors over a real ledger, with a channel in the test's hands.
pub(crate) struct Bot {
    agent: Agent,
    ledger: Ledger,
    channel: Probe<ToChannel>,
    folder: Arc<TempDir>,
    next_id: u64,
}

/// What a [`Bot`] is made of.
pub(crate) struct BotBuilder {
    folder: Arc<TempDir>,
    models: Vec<Arc<dyn ChatModel>>,
    tools: Vec<Arc<dyn Tool>>,
    guard: tools::Guard,
    limits: turn::Limits,
    settings: agent::Settings,
    next_id: u64,
}

/// The conversation of this name.
pub(crate) fn conversation(name: &str) -> ConversationKey {
    ConversationKey {
        channel: ChannelName("probe".into()),
        bot: "bot".into(),
        chat: name.into(),
        thread: None,
        person: None,
    }
}

/// A message of the owner's.
pub(crate) fn message(name: &str, id: &str, text: &str) -> Inbound {
    Inbound::new(conversation(name), MessageId(id.into()), owner(), text)
}

fn owner() -> Person {
    Person { id: "1".into(), name: "owner".into(), role: PersonRole::Owner, language: Language::English }
}

impl BotBuilder {
    /// A model that is asked where those before it do not answer.
    pub(crate) fn fallback(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.models.push(model);
        self
    }

    pub(crate) fn tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    pub(crate) fn tools(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        self.tools = tools;
        self
    }

    pub(crate) fn guard(mut self, guard: tools::Guard) -> Self {
        self.guard = guard;
        self
    }

    pub(crate) fn limits(mut self, limits: turn::Limits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) fn settings(mut self, settings: agent::Settings) -> Self {
        self.settings = settings;
        self
    }

    pub(crate) async fn start(self) -> Bot {
        let ledger = Ledger::open(self.folder.path(), WriterMode::Inline, &store::Settings::default())
            .expect("the folder is new or was closed");
        let services = Services {
            ledger: ledger.clone(),
            models: self.models,
            tools: Registry::new(self.tools),
            jobs: Jobs::new(&tools::Settings::default()),
            guard: self.guard,
            prompt: Arc::new(|_| "You are a test.".to_owned()),
            folder: self.folder.path().to_path_buf(),
            limits: self.limits,
            settings: self.settings,
            version: "0.0.0",
        };
        let agent = Agent::start(services).await.expect("actors start");
        let channel = Probe::spawn().await;
        agent.attach(ChannelName("probe".into()), channel.actor().get_derived());
        Bot { agent, ledger, channel, folder: self.folder, next_id: self.next_id }
    }
}

impl Bot {
    pub(crate) fn with(model: Arc<dyn ChatModel>) -> BotBuilder {
        Self::in_folder(Arc::new(TempDir::new().expect("a temporary folder")), model, 0)
    }

    /// A bot over the ledger in a folder.
    pub(crate) fn in_folder(folder: Arc<TempDir>, model: Arc<dyn ChatModel>, next_id: u64) -> BotBuilder {
        let (limits, settings) = (turn::Limits::default(), agent::Settings::default());
        let guard = tools::Guard::default();
        BotBuilder { folder, models: vec![model], tools: Vec::new(), guard, limits, settings, next_id }
    }

    pub(crate) fn doors(&self) -> Doors {
        Doors { intake: self.agent.intake(), delivery: self.agent.delivery() }
    }

    pub(crate) fn agent(&mut self) -> &mut Agent {
        &mut self.agent
    }

    pub(crate) fn control(&self) -> Control {
        self.agent.control()
    }

    /// Waits until something is so in the ledger.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Ledger) -> bool) {
        let reached = async {
            while !is_so(&self.ledger) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        testkit::bound::within_limit(what, reached).await;
    }

    /// Waits until so many deliveries of a channel are open.
    pub(crate) async fn open_deliveries(&self, channel: &str, wanted: usize) {
        let channel = ChannelName(channel.to_owned());
        self.until("deliveries", |ledger| ledger.open_deliveries(&channel).expect("it is there").len() == wanted).await;
    }

    /// Waits until a part is being sent.
    pub(crate) async fn sends_a_part(&self, channel: &str) {
        let channel = ChannelName(channel.to_owned());
        let sends = |ledger: &Ledger| {
            let open = ledger.open_deliveries(&channel).expect("it is there");
            open.iter().flat_map(|open| &open.parts).any(|part| part.state == PartState::Sending)
        };
        self.until("a part is being sent", sends).await;
    }

    /// Whether a text stands in any of the files.
    pub(crate) fn keeps(&self, text: &str) -> bool {
        let files = std::fs::read_dir(self.folder.path()).expect("it is a folder").map(|it| it.expect("a file").path());
        let holds = |bytes: Vec<u8>| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        files.filter(|path| path.is_file()).any(|path| std::fs::read(path).is_ok_and(holds))
    }

    /// Takes nothing in any more.
    pub(crate) fn closes(&self) {
        self.agent.close();
    }

    /// A chat service of this name.
    pub(crate) async fn service(&self, name: &str) -> Service {
        self.service_that(name, Manner::default()).await
    }

    /// A chat service whose adapter behaves so.
    pub(crate) async fn service_that(&self, name: &str, manner: Manner) -> Service {
        let service = Service::start(name, self.doors(), manner).await;
        self.agent.attach_service(service.name(), service.actor().get_derived());
        service
    }

    /// Lets people in on the services of these names, by their numbers.
    pub(crate) fn lets_in(&self, services: &[&str], access: serde_json::Value) {
        let access: ChannelAccess = serde_json::from_value(access).expect("it is what settings hold");
        let by_name = services.iter().map(|name| (ChannelName((*name).to_owned()), access.clone()));
        self.control().configure(by_name.collect());
    }

    /// Says something in the conversation `main`, as the owner.
    pub(crate) fn says(&mut self, text: &str) -> MessageId {
        self.says_in("main", text, WhenBusy::Add)
    }

    /// Says something that waits while a turn runs.
    pub(crate) fn queues(&mut self, text: &str) -> MessageId {
        self.says_in("main", text, WhenBusy::Queue)
    }

    pub(crate) fn says_in(&mut self, name: &str, text: &str, when_busy: WhenBusy) -> MessageId {
        self.next_id += 1;
        let id = MessageId(format!("{}-{name}", self.next_id));
        let inbound = Inbound { when_busy, ..Inbound::new(conversation(name), id.clone(), owner(), text) };
        self.arrives(inbound);
        id
    }

    /// A message of the conversation `main` with an id of the test's choice.
    pub(crate) fn inbound(&self, id: &str, text: &str) -> Inbound {
        message("main", id, text)
    }

    /// Hands a message in as an adapter does.
    pub(crate) fn arrives(&self, inbound: Inbound) {
        self.agent.intake().send_message(chat::Arrival::Message(inbound)).expect("intake is up");
    }

    /// The next thing the channel is told; what is to be delivered is receipted.
    pub(crate) async fn next(&mut self) -> ToChannel {
        let told = self.channel.next().await;
        if let ToChannel::Deliver(outbound) = &told {
            self.agent.delivery().send_message(Receipt::Sent(outbound.id)).expect("delivery is up");
        }
        told
    }

    /// The next end of a turn, and whose message it answers.
    pub(crate) async fn next_end(&mut self) -> (Outbound, Outcome) {
        loop {
            if let ToChannel::Deliver(outbound) = self.next().await
                && let OutboundBody::TurnFinished { outcome, .. } = outbound.body.clone()
            {
                return (outbound, outcome);
            }
        }
    }

    /// Waits for the end of a turn and holds its text against this one.
    pub(crate) async fn hears(&mut self, text: &str) {
        let (_, outcome) = self.next_end().await;
        assert_eq!(outcome.text, text);
    }

    /// Waits until everything that was handed in has gone as far as it can; it is paused time.
    pub(crate) async fn settles(&mut self) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    /// Waits for what a command answers.
    pub(crate) async fn hears_answer(&mut self) -> String {
        loop {
            if let ToChannel::CommandAnswered { text, .. } = self.next().await {
                return text;
            }
        }
    }

    /// Waits until a turn tells something that is wanted.
    pub(crate) async fn sees(&mut self, is_wanted: impl Fn(&Progress) -> bool) -> Progress {
        loop {
            if let ToChannel::Progress { progress, .. } = self.next().await
                && is_wanted(&progress)
            {
                return progress;
            }
        }
    }

    /// Fails the test if the channel is told anything in this time; it is paused time.
    pub(crate) async fn quiet_for(&mut self, time: Duration) {
        self.channel.expect_no_message(time).await;
    }

    /// Takes up what an earlier one left open in any conversation.
    pub(crate) fn wakes_all(&self) {
        self.agent.wake_all();
    }

    /// The stored messages of a conversation.
    pub(crate) async fn history(&self, name: &str) -> Vec<Arc<Message>> {
        let stored = self.ledger.load(&conversation(name)).expect("the ledger can be read");
        stored.expect("the conversation is known").messages
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Ends it in order and starts it again over the same folder.
    pub(crate) async fn restarts(self, model: Arc<dyn ChatModel>) -> BotBuilder {
        let (folder, next_id) = (Arc::clone(&self.folder), self.next_id);
        self.ends().await;
        Self::in_folder(folder, model, next_id)
    }

    /// Ends it in order; every message has then come to an end, and the ledger adds up.
    pub(crate) async fn ends(self) {
        let Self { agent, ledger, .. } = self;
        agent.shut_down(false).await;
        let report = ledger.verify().expect("the ledger can be read");
        assert!(report.findings.is_empty(), "{report:?}");
        ledger.close().await;
    }
}
