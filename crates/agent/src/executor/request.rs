//! What a turn starts from, and what a model is asked.

use std::sync::Arc;

use chat::{Budget, History, Message, Person, PersonRole, ToolSpec, View, estimate};
use llm::ModelRequest;
use tools::{Registry, Stage, Tool};
use turn::{Shrink, Start, ToolFacts, Turn};

use crate::incoming::Incoming;
use crate::models::Outlook;
use crate::services::Services;

/// The window that is assumed where a model's is not known, in tokens: what nearly all have.
const ASSUMED_WINDOW: u64 = 128_000;

/// What does not change while a turn runs: the tools it is offered, and the system prompt that goes with them.
pub(super) struct Offer {
    pub(super) role: PersonRole,
    pub(super) tools: Registry,
    specs: Arc<[ToolSpec]>,
    system: Arc<str>,
    /// Tokens of the system prompt and of what a model is told of the tools.
    tokens: (u64, u64),
}

impl Offer {
    pub(super) fn new(services: &Services, person: &Person) -> Self {
        let tools = tools::policy::offered(&services.guard.rules, person.role, &services.tools);
        let in_turn = |tool: &&Arc<dyn Tool>| tool.stage() == Stage::InTurn;
        let specs: Arc<[ToolSpec]> = tools.iter().filter(in_turn).map(|tool| tool.spec().clone()).collect();
        let system: Arc<str> = (services.prompt)(&specs).into();
        let tokens = (estimate::text(&system), estimate::tools(&specs));
        Self { role: person.role, tools, specs, system, tokens }
    }

    /// Event 0 of the turn.
    pub(super) fn start(&self, services: &Services, incoming: &Incoming, view: View) -> Start {
        Start {
            version: turn::VERSION,
            language: incoming.language(),
            limits: services.limits.clone(),
            tools: self.facts(),
            view,
            message: Arc::new(memory::prepare_message(&incoming.inbound.text, &incoming.at)),
            may_be_silent: false,
        }
    }

    /// What the machine knows of the tools.
    pub(super) fn facts(&self) -> Vec<ToolFacts> {
        self.tools.iter().map(|tool| facts_of(tool.as_ref())).collect()
    }

    /// What of the history is sent, fitted to what the model takes that is likely to be asked.
    pub(super) fn fit(
        &self,
        services: &Services,
        outlook: Outlook,
        incoming: &Incoming,
        history: &History,
        view: &View,
    ) -> View {
        let settings = &services.settings;
        let of_the_model = || services.models.get(outlook.model)?.window();
        let window = settings.context_tokens.or_else(of_the_model).unwrap_or(ASSUMED_WINDOW);
        let (of_system, of_tools) = self.tokens;
        let fixed = of_system + of_tools + estimate::text(&incoming.inbound.text);
        // A tenth is left for what the estimate gets wrong, a tenth for the reply.
        let tokens = outlook.calibration.estimate_within(window / 10 * 8).saturating_sub(fixed);
        view.fit(history, Budget { tokens, turns: settings.context_turns })
    }

    /// The next request: what the view shows of the history, then the turn so far.
    pub(super) fn request(&self, turn: &Turn, history: &History, call: Call) -> ModelRequest {
        let view = turn.view();
        let (earlier, present) = match call.shrink {
            Shrink::None => (view.of(history), turn.messages().to_vec()),
            Shrink::Hard => (view.shrink_hard(history).of(history), chat::view::shrink_turn(turn.messages())),
            Shrink::Reset => (Vec::new(), chat::view::shrink_turn(turn.messages())),
        };
        let messages = earlier.into_iter().chain(present).collect();
        let messages = if call.repair { repaired(messages) } else { messages };
        let tools = if call.offer_tools { Arc::clone(&self.specs) } else { Arc::from([]) };
        ModelRequest { system: Arc::clone(&self.system), messages, tools, nudge: call.nudge }
    }

    /// How many tokens a request is likely to have.
    pub(super) fn expected_tokens(&self, request: &ModelRequest) -> u64 {
        let (of_system, of_tools) = self.tokens;
        let of_tools = if request.tools.is_empty() { 0 } else { of_tools };
        let of_nudge = request.nudge.as_deref().map_or(0, estimate::text);
        of_system + of_tools + of_nudge + estimate::messages(request.messages.iter().map(AsRef::as_ref))
    }
}

/// How the next request differs from the usual one.
pub(super) struct Call {
    pub(super) offer_tools: bool,
    pub(super) nudge: Option<String>,
    pub(super) shrink: Shrink,
    pub(super) repair: bool,
}

fn repaired(messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let plain = messages.into_iter().map(Arc::unwrap_or_clone).collect();
    let (messages, repairs) = chat::repair::repair(plain);
    tracing::warn!(?repairs, "a model refused the history as malformed; it is asked again with a repaired one");
    messages.into_iter().map(Arc::new).collect()
}

fn facts_of(tool: &dyn Tool) -> ToolFacts {
    let spec = tool.spec();
    let required = spec.parameters.get("required").and_then(|names| names.as_array());
    let names = required.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned));
    ToolFacts {
        name: spec.name.clone(),
        parallel_safe: tool.parallel_safe(),
        after_turn: tool.stage() == Stage::AfterTurn,
        required: names.collect(),
        advice: tool.advice_on_sending_less().map(str::to_owned),
    }
}
