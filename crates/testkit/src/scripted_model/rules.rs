//! How strict a server is where real services differ.

/// Where a [`crate::ScriptedModel`] listens and what it holds its requests to.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The port on loopback; 0 for a free one.
    pub port: u16,
    /// The only key that is accepted.
    pub key: String,
    /// The largest body that is taken.
    pub max_body_bytes: usize,
    /// Whether two messages of the same role in a row are refused, as by the chat templates of some local models.
    /// Source: <https://github.com/microsoft/autogen/issues/1037>.
    pub roles_alternate: bool,
    /// Whether fields that OpenAI does not know are refused, as it does itself; compatible services mostly ignore them.
    pub known_fields_only: bool,
    /// Whether messages of an empty text are refused.
    pub no_empty_text: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            port: 0,
            key: "sk-scripted-0123456789".to_owned(),
            max_body_bytes: 32 << 20,
            roles_alternate: false,
            known_fields_only: true,
            no_empty_text: true,
        }
    }
}
