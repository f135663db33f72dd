//! Corrections as byte-exact edits of a source text. What to correct is a rule's business; how to write it without
//! touching anything else is decided here.

pub mod edit;

use crate::span::Span;

/// Whether a correction may be applied without a person looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// A judgement: the result is likely what was meant, but it changes what a working file does.
    Unsafe,
    /// It cannot change what a correct file means.
    Safe,
}

/// Replacement of one range of bytes by a text; an insertion has an empty span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

/// A correction of one finding: edits in the finding's own source, sorted and disjoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the edits do, as an imperative without a full stop: "set `successThreshold` to 1".
    pub title: String,
    /// Whether it may be applied unseen.
    pub safety: Safety,
    /// The edits.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A safe correction.
    pub fn safe(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { title: title.into(), safety: Safety::Safe, edits }
    }

    /// A correction that a person should look at.
    pub fn risky(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { title: title.into(), safety: Safety::Unsafe, edits }
    }
}
