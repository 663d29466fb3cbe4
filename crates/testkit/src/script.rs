//! The answers that are still to come, by conversation, and what was asked.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;

use crate::bound::within_limit;
use crate::step::Step;

/// What a fake model can be asked.
pub trait Asked: Send + Sync + 'static {
    /// What the person said in the turn that the request belongs to.
    fn turn_text(&self) -> String;
}

/// Decides on the answer to a request.
type Responder<R> = Arc<dyn Fn(&R) -> Step + Send + Sync>;

/// The script of one fake model. It is held by the test and by the fake.
pub(crate) struct Script<R> {
    state: Arc<watch::Sender<State<R>>>,
}

struct State<R> {
    steps: VecDeque<Step>,
    conversations: Vec<Conversation>,
    responder: Option<Responder<R>>,
    requests: Vec<Arc<R>>,
    hangups: BTreeSet<usize>,
    complaints: Vec<String>,
    overruns: Vec<String>,
}

struct Conversation {
    said: String,
    steps: VecDeque<Step>,
}

enum Next<R> {
    Step(Step),
    Ask(Responder<R>),
}

impl<R> Clone for Script<R> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone() }
    }
}

impl<R: Asked> Script<R> {
    pub(crate) fn new() -> Self {
        let state = State {
            steps: VecDeque::new(),
            conversations: Vec::new(),
            responder: None,
            requests: Vec::new(),
            hangups: BTreeSet::new(),
            complaints: Vec::new(),
            overruns: Vec::new(),
        };
        Self { state: Arc::new(watch::Sender::new(state)) }
    }

    pub(crate) fn add(&self, steps: impl IntoIterator<Item = Step>) {
        self.state.send_modify(|state| state.steps.extend(steps));
    }

    pub(crate) fn add_when(&self, said: &str, steps: impl IntoIterator<Item = Step>) {
        let conversation = Conversation { said: said.to_owned(), steps: steps.into_iter().collect() };
        self.state.send_modify(|state| state.conversations.push(conversation));
    }

    pub(crate) fn respond_with(&self, responder: impl Fn(&R) -> Step + Send + Sync + 'static) {
        self.state.send_modify(|state| state.responder = Some(Arc::new(responder)));
    }

    /// Takes a request, given its number from 1, and gives the answer to it.
    pub(crate) fn answer(&self, request: impl FnOnce(usize) -> R) -> (Arc<R>, Step) {
        let mut taken = None;
        self.state.send_modify(|state| {
            let request = Arc::new(request(state.requests.len() + 1));
            state.requests.push(request.clone());
            taken = Some((state.next(&request), request));
        });
        let (next, request) = taken.expect("the closure was called");
        // The responder is called outside, so that it may look at the model.
        let step = match next {
            Next::Step(step) => step,
            Next::Ask(responder) => responder(&request),
        };
        (request, step)
    }

    /// Remembers a request that broke a rule.
    pub(crate) fn complain(&self, complaint: String) {
        self.state.send_modify(|state| state.complaints.push(complaint));
    }

    /// Gives the complaints so far to a test that expected them.
    pub(crate) fn take_complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        self.state.send_modify(|state| complaints = std::mem::take(&mut state.complaints));
        complaints
    }

    /// Remembers that who asked went away before the answer was complete.
    pub(crate) fn hang_up(&self, number: usize) {
        self.state.send_modify(|state| {
            state.hangups.insert(number);
        });
    }

    pub(crate) fn requests(&self) -> Vec<Arc<R>> {
        self.state.borrow().requests.clone()
    }

    pub(crate) async fn request(&self, number: usize) -> Arc<R> {
        assert!(number > 0, "requests are counted from 1");
        let mut changes = self.state.subscribe();
        let came = changes.wait_for(|state| state.requests.len() >= number);
        let state = within_limit(&format!("request {number}"), came).await.expect("the sender is held by self");
        state.requests[number - 1].clone()
    }

    pub(crate) async fn hangup(&self, number: usize) {
        let mut changes = self.state.subscribe();
        let came = changes.wait_for(|state| state.hangups.contains(&number));
        within_limit(&format!("hanging up on request {number}"), came).await.expect("the sender is held by self");
    }

    /// All that a test has to fail for: broken rules, requests without a step, steps without a request.
    pub(crate) fn problems(&self) -> Vec<String> {
        let state = self.state.borrow();
        let mut problems: Vec<String> = state.complaints.iter().chain(&state.overruns).cloned().collect();
        if !state.steps.is_empty() {
            problems.push(format!("steps left over: {}, the first is {:?}", state.steps.len(), state.steps[0]));
        }
        for Conversation { said, steps } in state.conversations.iter().filter(|it| !it.steps.is_empty()) {
            problems.push(format!("steps left over for \"{said}\": {}, the first is {:?}", steps.len(), steps[0]));
        }
        problems
    }

    /// Fails the test if there are problems, unless it fails already.
    pub(crate) fn assert_played(&self) {
        let problems = self.problems();
        if !problems.is_empty() && !std::thread::panicking() {
            panic!("the model's script was not kept to:\n- {}", problems.join("\n- "));
        }
    }
}

impl<R: Asked> State<R> {
    fn next(&mut self, request: &R) -> Next<R> {
        let text = request.turn_text();
        let mut conversations = self.conversations.iter_mut().filter(|it| text.contains(&it.said));
        if let Some(step) = conversations.find_map(|it| it.steps.pop_front()).or_else(|| self.steps.pop_front()) {
            return Next::Step(step);
        }
        if let Some(responder) = &self.responder {
            return Next::Ask(responder.clone());
        }
        self.overruns.push(format!("request {} has no step left; it says \"{text}\"", self.requests.len()));
        Next::Step(Step::status(500))
    }
}
