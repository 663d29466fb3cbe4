//! Tools that run by themselves once a turn is on disk as answered.

use std::sync::Arc;

use chat::{ConversationKey, PersonRole, TurnId};
use serde_json::Map;
use tokio::time::{Duration, timeout};
use tools::{Stage, Tool, ToolContext, policy};
use tracing::{debug, warn};

use crate::services::Services;

/// How long one of them may take.
const LONGEST: Duration = Duration::from_secs(30);

/// Starts those that the role allows, side by side. Nobody waits for them.
pub(super) fn run(services: &Services, key: &ConversationKey, turn: TurnId, role: PersonRole) {
    let allowed = policy::offered(&services.guard.rules, role, &services.tools);
    for tool in allowed.iter().filter(|tool| tool.stage() == Stage::AfterTurn) {
        let name = tool.spec().name.clone();
        let context = ToolContext {
            conversation: key.clone(),
            turn,
            call: format!("after-{name}"),
            role,
            ..ToolContext::in_folder(&services.folder)
        };
        tokio::spawn(attend(Arc::clone(tool), context, name, turn));
    }
}

async fn attend(tool: Arc<dyn Tool>, context: ToolContext, name: String, turn: TurnId) {
    let cancelled = context.cancelled.clone();
    let mut run = tokio::spawn(async move { tool.run(Map::new(), context).await });
    match timeout(LONGEST, &mut run).await {
        Ok(Ok(result)) if result.is_error => warn!(%turn, tool = name, "what follows a turn failed"),
        Ok(Ok(_)) => debug!(%turn, tool = name, "what follows a turn is done"),
        Ok(Err(error)) => warn!(%turn, tool = name, %error, "what follows a turn ended inside"),
        Err(_) => {
            cancelled.cancel();
            run.abort();
            warn!(%turn, tool = name, "what follows a turn took too long and was ended");
        }
    }
}
