//! What goes out when, under paused time.

use ractor::ActorRef;
use testkit::TestSupervisor;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Duration, Instant, advance, timeout};

use super::{Class, Courier, Job, Lane, Limits, PacingMessage, Rate, Ticket, spawn};

/// Tells which calls it made when, and refuses as it is told.
struct Tape {
    began: Instant,
    made: UnboundedSender<(&'static str, u64)>,
    /// The first call of this name is refused for so many seconds.
    refused: Option<(&'static str, u64)>,
    has_refused: tokio::sync::watch::Sender<bool>,
}

impl Courier for Tape {
    type Call = &'static str;
    type Done = Option<Duration>;

    async fn carry(&self, call: &'static str) -> Option<Duration> {
        let _ = self.made.send((call, self.began.elapsed().as_millis().try_into().unwrap()));
        tokio::time::sleep(Duration::from_millis(50)).await;
        let (_, seconds) = self.refused.filter(|(name, _)| *name == call)?;
        (!self.has_refused.send_replace(true)).then_some(Duration::from_secs(seconds))
    }

    fn pause(done: &Self::Done) -> Option<Duration> {
        *done
    }

    fn lost() -> Self::Done {
        None
    }

    fn cancelled() -> Self::Done {
        None
    }

    fn report(&self, _: Ticket, _: Self::Done) {}
}

struct Post {
    parent: TestSupervisor,
    pacing: ActorRef<PacingMessage<Tape>>,
    made: UnboundedReceiver<(&'static str, u64)>,
    tickets: u64,
}

fn rate(burst: u32, every_ms: u64, kept: u32) -> Rate {
    Rate { burst, every: Duration::from_millis(every_ms), kept }
}

fn limits() -> Limits {
    Limits { all: rate(30, 34, 10), chat: rate(4, 1000, 1), group: rate(20, 3000, 8) }
}

const ONE: Lane = Lane { chat: 1, is_group: false };
const TWO: Lane = Lane { chat: 2, is_group: false };
const GROUP: Lane = Lane { chat: -1, is_group: true };

impl Post {
    async fn open(limits: Limits, refused: Option<(&'static str, u64)>) -> Self {
        let parent = TestSupervisor::spawn().await;
        let (tell, made) = mpsc::unbounded_channel();
        let has_refused = tokio::sync::watch::Sender::new(false);
        let tape = Tape { began: Instant::now(), made: tell, refused, has_refused };
        let pacing = spawn(tape, limits, parent.cell()).await.unwrap();
        Self { parent, pacing, made, tickets: 0 }
    }

    fn submit(&mut self, lane: &Lane, class: Class, call: &'static str) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let replaces = (class == Class::Preview).then(|| "preview".to_owned());
        let job = Job { ticket, lane: lane.clone(), class, replaces, call };
        self.pacing.cast(PacingMessage::Submit(job)).unwrap();
        ticket
    }

    /// What is made within this time, each with its milliseconds.
    async fn made_within(&mut self, time: Duration) -> Vec<(&'static str, u64)> {
        let mut made = Vec::new();
        let end = Instant::now() + time;
        while let Ok(Some(call)) = timeout(end.saturating_duration_since(Instant::now()), self.made.recv()).await {
            made.push(call);
        }
        made
    }

    async fn names_within(&mut self, time: Duration) -> Vec<&'static str> {
        self.made_within(time).await.into_iter().map(|(name, _)| name).collect()
    }
}

const LONG: Duration = Duration::from_secs(120);

#[tokio::test(start_paused = true)]
async fn what_matters_most_goes_first() {
    let mut post = Post::open(limits(), None).await;

    post.submit(&ONE, Class::Status, "first");
    for (class, name) in [(Class::Status, "status"), (Class::Approval, "approval"), (Class::Final, "final")] {
        post.submit(&ONE, class, name);
    }

    assert_eq!(post.names_within(LONG).await, ["first", "final", "approval", "status"]);
    post.parent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn d17_a_final_is_sent_once_after_the_wait_and_no_other_chat_is_delayed() {
    let mut post = Post::open(limits(), Some(("final", 35))).await;

    post.submit(&ONE, Class::Final, "final");
    advance(Duration::from_secs(1)).await;
    post.submit(&TWO, Class::Final, "other");
    let made = post.made_within(LONG).await;

    assert_eq!(made.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["final", "other", "final"]);
    assert!(made[1].1 < 1500 && made[2].1 >= 35_000, "{made:?}");
    post.parent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn d19_no_edit_goes_during_the_wait_and_then_one_with_the_latest_text() {
    let mut post = Post::open(limits(), Some(("edit", 33))).await;

    post.submit(&ONE, Class::Preview, "edit");
    for _ in 0..300 {
        advance(Duration::from_millis(100)).await;
        post.submit(&ONE, Class::Preview, "stale");
    }
    post.submit(&ONE, Class::Preview, "latest");
    let made = post.made_within(LONG).await;

    assert_eq!(made.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["edit", "latest"]);
    assert!(made[1].1 >= 33_000, "{made:?}");
    post.parent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn previews_leave_room_for_a_final() {
    let mut post = Post::open(limits(), None).await;

    // More than a group bears: each waits until the one before it was made.
    for _ in 0..60 {
        post.submit(&GROUP, Class::Preview, "edit");
        advance(Duration::from_millis(500)).await;
        tokio::task::yield_now().await;
    }
    let _ = post.made_within(Duration::from_millis(1)).await;
    let asked = Instant::now();
    post.submit(&GROUP, Class::Final, "final");

    while post.made.recv().await.unwrap().0 != "final" {}
    assert!(asked.elapsed() < Duration::from_millis(1500), "{:?}", asked.elapsed());
    post.parent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_group_gets_no_more_than_its_share() {
    let mut post = Post::open(limits(), None).await;

    (0..60).for_each(|_| _ = post.submit(&GROUP, Class::Final, "final"));
    let made = post.made_within(Duration::from_secs(60)).await;

    assert!((38..=41).contains(&made.len()), "{}", made.len());
    post.parent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_chat_has_one_call_at_a_time() {
    let mut post = Post::open(limits(), None).await;

    post.submit(&ONE, Class::Final, "a");
    post.submit(&ONE, Class::Final, "b");
    let made = post.made_within(LONG).await;

    assert!(made[1].1 - made[0].1 >= 50, "{made:?}");
    post.parent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_given_up_does_not_go() {
    let mut post = Post::open(limits(), None).await;

    post.submit(&ONE, Class::Status, "first");
    let second = post.submit(&ONE, Class::Status, "second");
    post.pacing.cast(PacingMessage::Cancel(second)).unwrap();

    assert_eq!(post.names_within(LONG).await, ["first"]);
    post.parent.finish().await;
}
