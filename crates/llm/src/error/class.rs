//! Status, code and type → class.

use chat::ErrorClass::{self, *};

/// Codes and types that say what went wrong. Sources: the error pages of OpenAI, Azure, Anthropic, Gemini, DeepSeek, Moonshot,
/// DashScope, Z.AI (the numbers), MiniMax (`base_resp`), OpenRouter, LiteLLM; `tools/server` of llama.cpp.
const CODES: [(&str, ErrorClass); 76] = [
    ("context_length_exceeded", Overflow),
    ("request_too_large", Overflow),
    ("exceed_context_size_error", Overflow),
    ("model_context_window_exceeded", Overflow),
    ("string_above_max_length", Overflow),
    ("1261", Overflow),
    ("base_resp 1039", Overflow),
    ("invalid_api_key", Auth),
    ("incorrect_api_key", Auth),
    ("invalidapikey", Auth),
    ("api_key_invalid", Auth),
    ("api_key_expired", Auth),
    ("authentication_error", Auth),
    ("authenticationerror", Auth),
    ("auth_error", Auth),
    ("invalid_authentication_error", Auth),
    ("incorrect_api_key_error", Auth),
    ("permission_error", Auth),
    ("permission_denied", Auth),
    ("permission_denied_error", Auth),
    ("unauthenticated", Auth),
    ("unauthorized", Auth),
    ("accessdenied", Auth),
    ("access_denied", Auth),
    ("account_deactivated", Auth),
    ("1000", Auth),
    ("1001", Auth),
    ("1002", Auth),
    ("1003", Auth),
    ("1004", Auth),
    ("base_resp 1004", Auth),
    ("base_resp 2049", Auth),
    ("insufficient_quota", Quota),
    ("billing_error", Quota),
    ("billing_hard_limit_reached", Quota),
    ("insufficient_balance", Quota),
    ("insufficient_credits", Quota),
    ("quota_exceeded", Quota),
    ("exceeded_current_quota_error", Quota),
    ("budget_exceeded", Quota),
    ("arrearage", Quota),
    ("1113", Quota),
    ("base_resp 1008", Quota),
    ("rate_limit_exceeded", RateLimited),
    ("rate_limit_error", RateLimited),
    ("rate_limit_reached_error", RateLimited),
    ("throttling_error", RateLimited),
    ("throttling", RateLimited),
    ("throttling.ratequota", RateLimited),
    ("throttling.allocationquota", RateLimited),
    ("resource_exhausted", RateLimited),
    ("too_many_requests", RateLimited),
    ("requests", RateLimited),
    ("tokens", RateLimited),
    ("1302", RateLimited),
    ("1303", RateLimited),
    ("base_resp 1002", RateLimited),
    ("overloaded_error", Overloaded),
    ("overloaded", Overloaded),
    ("engine_overloaded_error", Overloaded),
    ("server_overloaded", Overloaded),
    ("model_overloaded", Overloaded),
    ("slow_down", Overloaded),
    ("unavailable", Overloaded),
    ("service_unavailable", Overloaded),
    ("1305", Overloaded),
    ("content_filter", ContentFilter),
    ("content_policy_violation", ContentFilter),
    ("responsibleaipolicyviolation", ContentFilter),
    ("data_inspection_failed", ContentFilter),
    ("datainspectionfailed", ContentFilter),
    ("1301", ContentFilter),
    ("base_resp 1026", ContentFilter),
    ("base_resp 1027", ContentFilter),
    ("base_resp 2013", BadRequest),
    ("model_not_found", BadRequest),
];

/// Types that only say whose fault it was. A status says more, so they count where there is none.
const FAULTS: [(&str, ErrorClass); 13] = [
    ("invalid_request_error", BadRequest),
    ("invalid_request", BadRequest),
    ("invalid_argument", BadRequest),
    ("failed_precondition", BadRequest),
    ("invalidparameter", BadRequest),
    ("badrequesterror", BadRequest),
    ("bad_request", BadRequest),
    ("not_found_error", BadRequest),
    ("not_found", BadRequest),
    ("server_error", Server),
    ("api_error", Server),
    ("internal", Server),
    ("internal_server_error", Server),
];

/// Phrases for what some servers tell in words only, each with who writes it. They are looked for where the request is to blame, or
/// where nothing but a message came.
const PHRASES: [(&str, ErrorClass); 31] = [
    // Bedrock, where it is a limit on tokens per minute
    ("too many tokens, please wait", RateLimited),
    // OpenAI, vLLM: the limit on output alone
    ("max_tokens is too large", BadRequest),
    // OpenAI
    ("max_completion_tokens is too large", BadRequest),
    // Bedrock
    ("input is too long", Overflow),
    // Ollama
    ("prompt too long", Overflow),
    // OpenAI and gateways
    ("context window", Overflow),
    // Mistral, Together, SambaNova
    ("context length", Overflow),
    // LocalAI, KoboldCpp
    ("context size", Overflow),
    // xAI
    ("maximum prompt length", Overflow),
    // GitHub Models
    ("prompt token count", Overflow),
    // Gemini
    ("input token count", Overflow),
    // OpenAI, Groq
    ("reduce the length of", Overflow),
    // Fireworks, Cohere
    ("too many tokens", Overflow),
    // Bedrock's Converse
    ("too many input tokens", Overflow),
    // OpenAI, vLLM, DeepSeek
    ("maximum context length", Overflow),
    // Anthropic
    ("prompt is too long", Overflow),
    // Anthropic
    ("exceed context limit", Overflow),
    // Gemini
    ("exceeds the maximum number of tokens allowed", Overflow),
    // llama.cpp
    ("exceeds the available context size", Overflow),
    // LM Studio
    ("greater than the context length", Overflow),
    // DashScope
    ("range of input length should be", Overflow),
    // Moonshot
    ("exceeded model token limit", Overflow),
    // Anthropic
    ("credit balance is too low", Quota),
    // OpenAI
    ("must be followed by tool messages", MalformedHistory),
    // OpenAI, which mostly writes "preceeding", and DeepSeek
    ("must be a response to a prece", MalformedHistory),
    // Anthropic
    ("without `tool_result` blocks immediately after", MalformedHistory),
    // Anthropic
    ("unexpected `tool_use_id` found in `tool_result` blocks", MalformedHistory),
    // Gemini
    ("function call turn comes immediately after a user turn", MalformedHistory),
    // Gemini
    ("number of function response parts is equal to the number of function call parts", MalformedHistory),
    // Anthropic, and the chat templates of Mistral and Gemma
    ("roles must alternate", MalformedHistory),
    // Moonshot
    ("tool_call_id is not found", MalformedHistory),
];

/// Decides what an error is.
pub(super) fn classify(status: Option<u16>, codes: &[String], message: &str) -> ErrorClass {
    if codes.iter().any(|code| is_daily_quota(code)) {
        return Quota;
    }
    if let Some(class) = codes.iter().find_map(|code| look_up(&CODES, code)) {
        return class;
    }
    let status = status.or_else(|| codes.iter().find_map(|code| status_in(code)));
    let class = status.map(of_status).or_else(|| codes.iter().find_map(|code| look_up(&FAULTS, code)));
    if class.is_none_or(|class| class == BadRequest) {
        let message = message.to_lowercase();
        if let Some((_, class)) = PHRASES.iter().find(|(phrase, _)| message.contains(phrase)) {
            return *class;
        }
    }
    class.or_else(|| of_words(message)).unwrap_or(Server)
}

/// What gateways write that give a message and nothing else. The first that is found counts.
const WORDS: [(&str, ErrorClass); 21] = [
    ("api key", Auth),
    ("unauthorized", Auth),
    ("authentication", Auth),
    ("not authenticated", Auth),
    ("permission denied", Auth),
    ("insufficient balance", Quota),
    ("insufficient credit", Quota),
    ("quota", Quota),
    ("rate limit", RateLimited),
    ("too many requests", RateLimited),
    ("overloaded", Overloaded),
    ("over capacity", Overloaded),
    ("content policy", ContentFilter),
    ("invalid request", BadRequest),
    ("invalid parameter", BadRequest),
    ("invalid value", BadRequest),
    ("unsupported", BadRequest),
    ("is not supported", BadRequest),
    ("is required", BadRequest),
    ("does not exist", BadRequest),
    ("model not found", BadRequest),
];

fn of_words(message: &str) -> Option<ErrorClass> {
    let message = message.to_lowercase();
    WORDS.iter().find(|(words, _)| message.contains(words)).map(|(_, class)| *class)
}

fn look_up(table: &[(&str, ErrorClass)], code: &str) -> Option<ErrorClass> {
    table.iter().find(|(known, _)| known.eq_ignore_ascii_case(code)).map(|(_, class)| *class)
}

/// Gateways write the status of the vendor behind them as the code, as a number or a string.
fn status_in(code: &str) -> Option<u16> {
    code.parse().ok().filter(|status| (400..600).contains(status))
}

/// Google's id of a quota that no pause of minutes brings back (`GenerateRequestsPerDayPerProjectPerModel-FreeTier`).
fn is_daily_quota(code: &str) -> bool {
    code.contains("PerDay")
}

fn of_status(status: u16) -> ErrorClass {
    match status {
        401 | 403 => Auth,
        402 => Quota,
        413 => Overflow,
        429 => RateLimited,
        503 | 529 => Overloaded,
        408 | 409 | 425 | 500.. => Server,
        _ => BadRequest,
    }
}
