//! A bot between a fake service and a conversation that the test plays.

use std::path::PathBuf;

use chat::{
    Arrival, ChannelName, ChannelNews, ConversationKey, DeliveryId, Inbound, Language, Outbound, OutboundBody, Outcome,
    OutcomeKind, PartState, Progress, Receipt, StoredPart, ToChannel, TurnId,
};
use testkit::fake_telegram::Person;
use testkit::{FakeTelegram, Probe, TestSupervisor};
use tokio::time::Duration;

use crate::telegram::{self, Arguments, Settings, Telegram, Tempo};

pub(super) struct Desk {
    pub(super) service: FakeTelegram,
    pub(super) telegram: Telegram,
    arrivals: Probe<Arrival>,
    pub(super) receipts: Probe<Receipt>,
    pub(super) parent: TestSupervisor,
    pub(super) files: tempfile::TempDir,
    turns: i64,
}

/// Times that a test can wait for; those that it does not want are long.
pub(super) fn tempo() -> Tempo {
    Tempo {
        first_pause: Duration::from_millis(10),
        longest_pause: Duration::from_millis(50),
        poll_margin: Duration::from_secs(5),
        join: Duration::from_millis(300),
        silence: Duration::from_secs(600),
        private_edits: Duration::from_millis(20),
        group_edits: Duration::from_millis(20),
        longest_silence: Duration::from_secs(600),
        long_turn: Duration::from_secs(600),
    }
}

pub(super) fn settings(service: &FakeTelegram) -> Settings {
    Settings { api_url: service.api_url(), poll_s: 20, ..Settings::default() }
}

impl Desk {
    pub(super) async fn open() -> Self {
        Self::open_with(FakeTelegram::start(), |_, _| {}).await
    }

    /// A bot that is set up in another way.
    pub(super) async fn open_with(service: FakeTelegram, change: impl FnOnce(&mut Settings, &mut Tempo)) -> Self {
        let (mut settings, mut tempo) = (settings(&service), tempo());
        change(&mut settings, &mut tempo);
        let (arrivals, receipts) = (Probe::<Arrival>::spawn().await, Probe::<Receipt>::spawn().await);
        let (parent, files) = (TestSupervisor::spawn().await, tempfile::tempdir().unwrap());
        let arguments = Arguments {
            channel: ChannelName("telegram".into()),
            token: service.token().into(),
            settings,
            tempo,
            language: None,
            files: files.path().to_owned(),
            intake: arrivals.actor().get_derived(),
            delivery: receipts.actor().get_derived(),
        };
        let telegram = telegram::spawn(arguments, parent.cell()).await.unwrap();
        telegram.start();
        Self { service, telegram, arrivals, receipts, parent, files, turns: 0 }
    }

    pub(super) fn ada(&self) -> Person {
        self.service.person(7, "Ada")
    }

    pub(super) fn tell(&self, told: ToChannel) {
        self.telegram.to_channel().send_message(told).unwrap();
    }

    /// The next arrival that is not about how the adapter fares.
    pub(super) async fn arrival(&mut self) -> Arrival {
        self.arrivals.next_where(|arrival| !matches!(arrival, Arrival::Channel { .. })).await
    }

    /// The next message, not yet safe.
    pub(super) async fn message(&mut self) -> Inbound {
        match self.arrival().await {
            Arrival::Message(inbound) => inbound,
            other => panic!("not a message: {other:?}"),
        }
    }

    /// The next message, safe.
    pub(super) async fn takes(&mut self) -> Inbound {
        let inbound = self.message().await;
        self.accept(&inbound);
        inbound
    }

    pub(super) fn accept(&self, inbound: &Inbound) {
        self.tell(ToChannel::Accepted { key: inbound.key.clone(), id: inbound.id.clone() });
    }

    /// The next thing that the adapter tells of itself that is wanted.
    pub(super) async fn news(&mut self, is_wanted: impl Fn(&ChannelNews) -> bool) -> ChannelNews {
        let wanted = |arrival: &Arrival| matches!(arrival, Arrival::Channel { news, .. } if is_wanted(news));
        match self.arrivals.next_where(wanted).await {
            Arrival::Channel { news, .. } => news,
            other => panic!("not news: {other:?}"),
        }
    }

    pub(super) fn begin(&mut self, inbound: &Inbound) -> TurnId {
        self.turns += 1;
        let turn = TurnId(self.turns);
        self.progress(&inbound.key, turn, Progress::TurnStarted { message: inbound.text.clone() });
        turn
    }

    pub(super) fn progress(&self, key: &ConversationKey, turn: TurnId, progress: Progress) {
        self.tell(ToChannel::Progress { key: key.clone(), turn, progress });
    }

    pub(super) fn writes(&self, key: &ConversationKey, turn: TurnId, text: &str) {
        self.progress(key, turn, Progress::TextDelta { step: 1, text: text.into() });
    }

    /// What a turn ends with.
    pub(super) fn outcome(inbound: &Inbound, turn: TurnId, kind: OutcomeKind, text: &str) -> Outbound {
        let outcome = Outcome { kind, text: text.into(), steps: 1, usage: None, error: None, files: Vec::new() };
        let body = OutboundBody::TurnFinished { turn, outcome };
        Outbound { id: DeliveryId(100 + turn.0), key: inbound.key.clone(), reply_to: Some(inbound.id.clone()), body }
    }

    /// Ends a turn, and plays delivery until it is out.
    pub(super) async fn answers(&mut self, inbound: &Inbound, turn: TurnId, text: &str) -> Vec<Receipt> {
        self.delivers(Self::outcome(inbound, turn, OutcomeKind::Answered, text)).await
    }

    /// Hands over a delivery, and plays delivery until it is done with. Gives what was told meanwhile.
    pub(super) async fn delivers(&mut self, outbound: Outbound) -> Vec<Receipt> {
        self.tell(ToChannel::Deliver(outbound.clone()));
        self.plays_delivery(&outbound).await
    }

    /// Hands over many, and plays delivery until all are done with.
    pub(super) async fn delivers_all(&mut self, outbounds: &[Outbound]) -> Vec<Receipt> {
        outbounds.iter().for_each(|outbound| self.tell(ToChannel::Deliver(outbound.clone())));
        let mut told = Vec::new();
        for _ in outbounds {
            told.extend(self.plays(outbounds).await);
        }
        told
    }

    pub(super) async fn plays_delivery(&mut self, outbound: &Outbound) -> Vec<Receipt> {
        self.plays(std::slice::from_ref(outbound)).await
    }

    /// Plays delivery until one of these is done with.
    async fn plays(&mut self, outbounds: &[Outbound]) -> Vec<Receipt> {
        let key_of = |id: DeliveryId| outbounds.iter().find(|it| it.id == id).map(|it| it.key.clone());
        let mut told = Vec::new();
        loop {
            let receipt = self.receipts.next().await;
            let mut is_done = false;
            match &receipt {
                Receipt::Rendered { delivery, .. } => {
                    let key = key_of(*delivery).expect("it was handed over");
                    self.tell(ToChannel::PartsStored { key, delivery: *delivery });
                }
                Receipt::PartSending { delivery, part } => {
                    let key = key_of(*delivery).expect("it was handed over");
                    self.tell(ToChannel::PartCleared { key, delivery: *delivery, part: *part });
                }
                Receipt::Sent(id) | Receipt::Failed { delivery: id, .. } | Receipt::Doubtful { delivery: id, .. } => {
                    is_done = key_of(*id).is_some();
                }
                Receipt::Placeholder { .. } | Receipt::PartSent { .. } => {}
            }
            told.push(receipt);
            if is_done {
                return told;
            }
        }
    }

    /// Ends it, and holds against it what the service would have refused.
    pub(super) async fn close(self) {
        assert_eq!(self.service.refusals(), [""; 0]);
        self.parent.finish().await;
    }

    pub(super) fn files(&self) -> PathBuf {
        self.files.path().to_owned()
    }
}

/// A text outside a turn.
pub(super) fn notice(inbound: &Inbound, id: i64, text: &str) -> Outbound {
    let body = OutboundBody::Notice { text: text.into() };
    Outbound { id: DeliveryId(id), key: inbound.key.clone(), reply_to: None, body }
}

/// The parts of a delivery as they would come back after a crash.
pub(super) fn kept(told: &[Receipt], state: impl Fn(usize) -> PartState) -> Vec<StoredPart> {
    let parts = told.iter().find_map(|receipt| match receipt {
        Receipt::Rendered { parts, .. } => Some(parts.clone()),
        _ => None,
    });
    let parts = parts.expect("it was rendered").into_iter().enumerate();
    parts.map(|(at, payload)| StoredPart { payload, state: state(at) }).collect()
}

pub(super) const ENGLISH: Language = Language::English;
