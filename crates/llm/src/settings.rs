//! What can be set about models.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{Deadlines, Effort, Format, KeyReference, Quirks};

/// What can be set about models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The model that is asked: `vendor/model`, or `demo`. Where it is absent, one is looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The models that are asked when the first one does not answer, in this order: `vendor/model` each.
    pub fallback: Vec<String>,
    /// Vendors of one's own by name, and what is other than usual about those that are known.
    pub vendors: BTreeMap<String, VendorSettings>,
    /// How long a server may keep silent.
    pub deadlines: Deadlines,
}

/// What can be set about one vendor. What is absent is as the vendor table says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VendorSettings {
    /// The server, up to where the path of its format begins (`http://127.0.0.1:9000/v1`).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::vendors::base_url::deserialize")]
    pub base_url: Option<String>,
    /// Where the key is: `env:NAME`, `file:/path` or `cred:NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyReference>,
    /// What the server speaks: `openai`, `anthropic` or `gemini`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The model that is asked where only the vendor is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many tokens prompt and reply may have together.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "positive")]
    pub window: Option<u32>,
    /// How many tokens a reply may have.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "positive")]
    pub max_output: Option<u32>,
    /// How much its models are to think: `off`, `minimal`, `low`, `medium`, `high` or `max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Where the server departs from its format; all of it, as what is not named is as the format's inventor does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quirks: Option<Quirks>,
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    Option::<NonZeroU32>::deserialize(deserializer).map(|number| number.map(NonZeroU32::get))
}
