//! The table. Numbers and names are from the pages beside them, as of December 2026.

use super::{KeyVariable, KnownModel, Price, Vendor};
use crate::{Effort, EffortStyle, EmptyContent, Format, OutputLimit, Quirks, ReasoningField};

/// A server that does what OpenAI's does, but calls the limit on output by its older name.
const COMPATIBLE: Quirks = Quirks::NONE;

/// A server built on llama.cpp. Some answer `"content": null` beside calls with HTTP 500, none minds an empty string.
const LLAMA: Quirks = Quirks { empty_content: EmptyContent::EmptyString, ..Quirks::NONE };

const fn key(name: &'static str) -> KeyVariable {
    KeyVariable { name, base_url: None }
}

/// Every vendor that is known, in the order in which a first run looks for their keys.
pub const VENDORS: &[Vendor] = &[
    Vendor {
        name: "openai",
        format: Format::OpenAi,
        base_url: "https://api.openai.com/v1",
        base_url_variables: &["OPENAI_BASE_URL"],
        keys: &[key("OPENAI_API_KEY")],
        // developers.openai.com/api/docs/models/gpt-6-sol. Later models call functions over another interface only.
        models: &[KnownModel {
            name: "gpt-6-sol",
            window: Some(1_050_000),
            price: Some(Price { input: 2_000, cached: Some(200), output: 10_000 }),
        }],
        quirks: Quirks {
            output_limit: OutputLimit::MaxCompletionTokens,
            effort: EffortStyle::ReasoningEffort,
            ..Quirks::NONE
        },
        // The same page: chat completions take functions only with `reasoning_effort` set to `none`.
        effort: Some(Effort::Off),
    },
    Vendor {
        name: "anthropic",
        format: Format::Anthropic,
        base_url: "https://api.anthropic.com",
        base_url_variables: &["ANTHROPIC_BASE_URL"],
        keys: &[key("ANTHROPIC_API_KEY")],
        // vercel.com/ai-gateway/models/claude-sonnet-5.5, docs.venice.ai/models/claude-sonnet-5-5
        models: &[KnownModel {
            name: "claude-sonnet-5-5",
            window: Some(1_000_000),
            price: Some(Price { input: 2_000, cached: None, output: 10_000 }),
        }],
        quirks: Quirks { effort: EffortStyle::Adaptive, ..Quirks::NONE },
        effort: None,
    },
    Vendor {
        name: "deepseek",
        format: Format::OpenAi,
        base_url: "https://api.deepseek.com",
        base_url_variables: &["DEEPSEEK_BASE_URL"],
        keys: &[key("DEEPSEEK_API_KEY")],
        // api-docs.deepseek.com/quick_start/pricing: the price of the peak hours, which is twice that of the others.
        models: &[KnownModel {
            name: "deepseek-flash",
            window: Some(1_000_000),
            price: Some(Price { input: 300, cached: Some(6), output: 1_200 }),
        }],
        quirks: Quirks {
            reasoning_field: Some(ReasoningField::ReasoningContent),
            reasoning_required: true,
            effort: EffortStyle::ThinkingAndEffort,
            ..COMPATIBLE
        },
        effort: None,
    },
    Vendor {
        name: "gemini",
        format: Format::Gemini,
        base_url: "https://generativelanguage.googleapis.com",
        base_url_variables: &["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
        keys: &[key("GEMINI_API_KEY"), key("GOOGLE_API_KEY")],
        // ai.google.dev/gemini-api/docs/models/gemini-3.8-flash. Its price changes at the end of the year.
        models: &[KnownModel { name: "gemini-3.8-flash", window: Some(1_048_576), price: None }],
        quirks: Quirks { effort: EffortStyle::Level, ..Quirks::NONE },
        effort: None,
    },
    Vendor {
        name: "qwen",
        format: Format::OpenAi,
        // alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope: keys of other regions need their server.
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1",
        base_url_variables: &["DASHSCOPE_BASE_URL"],
        keys: &[key("DASHSCOPE_API_KEY")],
        // vercel.com/ai-gateway/models/qwen3.8-max-0902
        models: &[KnownModel { name: "qwen3.8-max", window: Some(991_000), price: None }],
        quirks: Quirks { effort: EffortStyle::EnableThinking, ..COMPATIBLE },
        effort: None,
    },
    Vendor {
        name: "glm",
        format: Format::OpenAi,
        base_url: "https://open.bigmodel.cn/api/paas/v4",
        base_url_variables: &["ZAI_BASE_URL"],
        // docs.continue.dev/customize/model-providers/more/zai: the vendor's two sites have keys of their own.
        keys: &[
            key("ZHIPUAI_API_KEY"),
            KeyVariable { name: "ZAI_API_KEY", base_url: Some("https://api.z.ai/api/paas/v4") },
        ],
        // runware.ai/docs/models/zai-glm-5-2
        models: &[KnownModel { name: "glm-5.2", window: Some(1_000_000), price: None }],
        // java.agentscope.io/v2/en/integration/model/glm: `stream_options` is not taken; openrouter.ai: the model takes text.
        quirks: Quirks { stream_usage: false, images: false, effort: EffortStyle::Thinking, ..COMPATIBLE },
        effort: None,
    },
    Vendor {
        name: "kimi",
        format: Format::OpenAi,
        base_url: "https://api.moonshot.ai/v1",
        base_url_variables: &["MOONSHOT_BASE_URL"],
        keys: &[key("MOONSHOT_API_KEY")],
        // docs.openclaw.ai/providers/moonshot
        models: &[KnownModel {
            name: "kimi-k2.6",
            window: Some(262_144),
            price: Some(Price { input: 950, cached: Some(160), output: 4_000 }),
        }],
        // platform.kimi.ai: what the model thought is to be given back.
        quirks: Quirks {
            reasoning_field: Some(ReasoningField::ReasoningContent),
            reasoning_required: true,
            ..COMPATIBLE
        },
        effort: None,
    },
    Vendor {
        name: "minimax",
        format: Format::OpenAi,
        base_url: "https://api.minimax.io/v1",
        base_url_variables: &["MINIMAX_BASE_URL"],
        keys: &[key("MINIMAX_API_KEY")],
        // github.com/anomalyco/models.dev/pull/1940: a million is announced, half of it is served.
        models: &[KnownModel { name: "MiniMax-M3", window: Some(500_000), price: None }],
        quirks: COMPATIBLE,
        effort: None,
    },
    Vendor {
        name: "openrouter",
        format: Format::OpenAi,
        base_url: "https://openrouter.ai/api/v1",
        base_url_variables: &["OPENROUTER_BASE_URL"],
        keys: &[key("OPENROUTER_API_KEY")],
        models: &[KnownModel { name: "openrouter/auto", window: None, price: None }],
        quirks: Quirks {
            reasoning_field: Some(ReasoningField::ReasoningDetails),
            effort: EffortStyle::Reasoning,
            ..COMPATIBLE
        },
        effort: None,
    },
    local("ollama", "http://127.0.0.1:11434/v1", &["OLLAMA_BASE_URL"], &[], LLAMA),
    local("llama-cpp", "http://127.0.0.1:8080/v1", &["LLAMA_CPP_BASE_URL"], &[key("LLAMA_API_KEY")], LLAMA),
    local("lmstudio", "http://127.0.0.1:1234/v1", &["LMSTUDIO_BASE_URL"], &[key("LMSTUDIO_API_KEY")], LLAMA),
    // docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    local("vllm", "http://127.0.0.1:8000/v1", &["VLLM_BASE_URL"], &[key("VLLM_API_KEY")], COMPATIBLE),
];

/// A server on this machine: it has the models that its owner gave it.
const fn local(
    name: &'static str,
    base_url: &'static str,
    base_url_variables: &'static [&'static str],
    keys: &'static [KeyVariable],
    quirks: Quirks,
) -> Vendor {
    Vendor { name, format: Format::OpenAi, base_url, base_url_variables, keys, models: &[], quirks, effort: None }
}
