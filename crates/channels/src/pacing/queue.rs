//! What goes next: the class that matters most, then what came first; in each chat one call at a time.

use std::collections::HashMap;

use tokio::time::{Duration, Instant};

use super::bucket::{Bucket, Rate};

/// How much a call matters, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// The sign that somebody writes.
    Typing,
    /// What a turn has come to.
    Preview,
    /// What is said beside a turn: receipts, answers to commands.
    Status,
    /// A question.
    Question,
    /// A question that a turn waits for.
    Approval,
    /// What must arrive.
    Final,
}

/// Names a call to who asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ticket(pub(crate) u64);

/// A chat, as far as limits are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lane {
    /// The service's id of the chat.
    pub(crate) chat: i64,
    /// Whether more than one person is there.
    pub(crate) is_group: bool,
}

/// A call that is to be made.
#[derive(Clone, Debug)]
pub(crate) struct Job<C> {
    pub(crate) ticket: Ticket,
    pub(crate) lane: Lane,
    pub(crate) class: Class,
    /// A call with the same name here that still waits is given up for this one.
    pub(crate) replaces: Option<String>,
    pub(crate) call: C,
}

/// How fast calls may go.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// In all chats together.
    pub(crate) all: Rate,
    /// In one chat.
    pub(crate) chat: Rate,
    /// In one group, beside that.
    pub(crate) group: Rate,
}

/// More chats than this are kept only while something is going on in them.
const MOST_IDLE_LANES: usize = 1000;

pub(crate) struct Queue<C> {
    limits: Limits,
    all: Bucket,
    lanes: HashMap<Lane, State<C>>,
    /// The number of the call that comes next, so that the first is known.
    count: u64,
}

struct State<C> {
    waiting: Vec<(u64, Job<C>)>,
    is_busy: bool,
    paused_until: Option<Instant>,
    buckets: Vec<Bucket>,
}

impl<C> State<C> {
    /// The call that goes next here.
    fn first(&self) -> Option<(usize, &Job<C>)> {
        let waiting = self.waiting.iter().enumerate();
        let first = waiting.max_by_key(|(_, (count, job))| (job.class, std::cmp::Reverse(*count)));
        first.map(|(at, (_, job))| (at, job))
    }

    fn wait(&mut self, class: Class, now: Instant) -> Duration {
        let pause = self.paused_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        let matters = class > Class::Preview;
        self.buckets.iter_mut().map(|bucket| bucket.wait(matters, now)).fold(pause, Duration::max)
    }
}

impl<C> Queue<C> {
    pub(crate) fn new(limits: Limits, now: Instant) -> Self {
        Self { all: Bucket::new(limits.all, now), limits, lanes: HashMap::new(), count: 0 }
    }

    pub(crate) fn push(&mut self, job: Job<C>) {
        self.count += 1;
        let count = self.count;
        let lane = self.lane(&job.lane);
        if job.replaces.is_some() {
            lane.waiting.retain(|(_, other)| other.replaces != job.replaces);
        }
        lane.waiting.push((count, job));
    }

    fn lane(&mut self, lane: &Lane) -> &mut State<C> {
        let now = Instant::now();
        if self.lanes.len() > MOST_IDLE_LANES && !self.lanes.contains_key(lane) {
            self.lanes.retain(|_, state| {
                let is_fresh = state.buckets.iter_mut().all(|bucket| bucket.is_full(now));
                state.is_busy || !state.waiting.is_empty() || !is_fresh || state.paused_until > Some(now)
            });
        }
        let limits = &self.limits;
        self.lanes.entry(lane.clone()).or_insert_with(|| {
            let mut buckets = vec![Bucket::new(limits.chat, now)];
            buckets.extend(lane.is_group.then(|| Bucket::new(limits.group, now)));
            State { waiting: Vec::new(), is_busy: false, paused_until: None, buckets }
        })
    }

    /// Gives up a call that waits; `false` where none with this ticket does.
    pub(crate) fn cancel(&mut self, ticket: Ticket) -> bool {
        let is_it = |(_, job): &(u64, Job<C>)| job.ticket == ticket;
        let Some(lane) = self.lanes.values_mut().find(|lane| lane.waiting.iter().any(is_it)) else { return false };
        lane.waiting.retain(|waiting| !is_it(waiting));
        true
    }

    /// The call that goes now.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Job<C>> {
        let all = &mut self.all;
        let ready = self.lanes.iter_mut().filter(|(_, lane)| !lane.is_busy).filter_map(|(key, lane)| {
            let (at, job) = lane.first()?;
            let (class, count) = (job.class, lane.waiting[at].0);
            let wait = lane.wait(class, now).max(all.wait(class > Class::Preview, now));
            wait.is_zero().then(|| (class, std::cmp::Reverse(count), at, key.clone()))
        });
        let (.., at, key) = ready.max_by_key(|(class, count, ..)| (*class, *count))?;
        let lane = self.lanes.get_mut(&key)?;
        lane.is_busy = true;
        lane.buckets.iter_mut().for_each(|bucket| bucket.take(now));
        self.all.take(now);
        Some(lane.waiting.swap_remove(at).1)
    }

    /// When a call may go, if one waits and none of its chat is being made.
    pub(crate) fn next_at(&mut self, now: Instant) -> Option<Instant> {
        let all = &mut self.all;
        let waits = self.lanes.values_mut().filter(|lane| !lane.is_busy).filter_map(|lane| {
            let class = lane.first()?.1.class;
            Some(lane.wait(class, now).max(all.wait(class > Class::Preview, now)))
        });
        waits.min().map(|wait| now + wait)
    }

    /// A call of this chat was made.
    pub(crate) fn finished(&mut self, lane: &Lane) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.is_busy = false;
        }
    }

    /// A call was refused for now: nothing of its chat goes before this time, and then the call again, unless a newer one took
    /// its place.
    pub(crate) fn postpone(&mut self, job: Job<C>, until: Instant) {
        let Some(lane) = self.lanes.get_mut(&job.lane) else { return };
        lane.is_busy = false;
        lane.paused_until = Some(until);
        let is_stale = job.replaces.is_some() && lane.waiting.iter().any(|(_, other)| other.replaces == job.replaces);
        if job.class > Class::Typing && !is_stale {
            // In front of all that came after it.
            lane.waiting.push((0, job));
        }
    }
}
