//! What a person wants of the demo model.

/// One thing that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// To see what is in a folder.
    List(String),
    /// To see what is in a file.
    Read(String),
    /// To see what is in something that is a folder or a file.
    Look(String),
    /// To see a file that was named in passing (`the readme`): it is looked for in the working folder.
    Find(String),
    /// To have a file with this content.
    Write { path: String, content: String },
    /// To have an empty file; one that is there stays as it is.
    Create(String),
    /// To have a line at the end of a file.
    Append { path: String, content: String },
    /// To know how long a file is.
    Count { path: String, unit: Unit },
    /// To have a command run.
    Run(String),
    /// Something that lacks a part.
    Unclear(Gap),
    /// Something that takes a language model: a text composed, explained, translated.
    Compose,
    /// To know who answers.
    Introduce,
    /// To be greeted.
    Greet,
    /// To say thanks.
    Thank,
    /// To say goodbye.
    Leave,
    /// To know what can be asked, or how a real model is connected.
    Help,
    /// Something else.
    Unknown,
}

/// What a wish lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    File,
    Content,
    Command,
}

/// What is counted in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Lines,
    Words,
    Characters,
}

impl Wish {
    /// Whether something is to be done for it with tools, or is asked back about it.
    pub(super) fn is_action(&self) -> bool {
        !matches!(
            self,
            Self::Introduce | Self::Greet | Self::Thank | Self::Leave | Self::Help | Self::Unknown | Self::Compose
        )
    }

    /// The file it leaves for the next wish to speak of as "it".
    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Self::Read(path)
            | Self::Look(path)
            | Self::Find(path)
            | Self::Create(path)
            | Self::Write { path, .. }
            | Self::Append { path, .. }
            | Self::Count { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// Drops courtesies beside a real wish, and what was said twice.
pub(super) fn without_small_talk(mut wishes: Vec<Wish>) -> Vec<Wish> {
    let courtesy = |wish: &Wish| matches!(wish, Wish::Greet | Wish::Thank | Wish::Leave);
    if !wishes.iter().all(courtesy) {
        wishes.retain(|wish| !courtesy(wish));
    }
    if let Some(first) = wishes.iter().position(|wish| *wish != Wish::Unknown) {
        // What was said before the first wish led up to it.
        wishes.drain(..first);
    }
    wishes.dedup_by(|next, first| {
        // A file that is made only to be written to need not be made before.
        let made = matches!((&*first, &*next), (Wish::Create(made), Wish::Write { path, .. }) if made == path);
        if made {
            std::mem::swap(first, next);
        }
        made || first == next
    });
    if wishes.is_empty() { vec![Wish::Unknown] } else { wishes }
}
