//! What a rule found: plain data that policy, reports and editors consume.

use crate::fix::Fix;
use crate::span::{SourceId, Span};

/// How much a finding matters, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth a look; shown under the strict profile, or when the rule is selected by name.
    Advice,
    /// It runs, and will hurt.
    Warning,
    /// It is rejected, or can never do its job.
    Error,
}

impl Level {
    /// The word used in reports, options and pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Advice => "advice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How surely the fault follows from what was read, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A naming heuristic.
    Low,
    /// From the documented behaviour of a named program, image or framework.
    Medium,
    /// From the input alone.
    High,
}

impl Confidence {
    /// The word used in reports and pages; also SARIF's `precision`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Another place that makes the case, possibly in another source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The source the span belongs to.
    pub source: SourceId,
    /// The place.
    pub span: Span,
    /// What is to be seen there, lower case, no full stop.
    pub text: String,
}

/// One fault at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Id of the rule, kebab-case.
    pub rule: &'static str,
    /// How much it matters.
    pub level: Level,
    /// How surely it is one.
    pub confidence: Confidence,
    /// The source it stands in.
    pub source: SourceId,
    /// The smallest span that must change; for a missing thing, the container's or service's name.
    pub span: Span,
    /// Number of the document in its source, from 0.
    pub document: u32,
    /// Stable name of what is at fault: `Deployment/shop/web > app > livenessProbe`. Empty for a broken document.
    pub subject: String,
    /// The path as the API server writes it: `spec.containers[0].livenessProbe.successThreshold`. May be empty.
    pub field_path: String,
    /// One sentence in the present tense, no full stop: the fact.
    pub message: String,
    /// What happens, in seconds and restarts. May be empty.
    pub why: String,
    /// What to write instead. May be empty.
    pub help: String,
    /// Other places that make the case.
    pub labels: Vec<Label>,
    /// The edit that mends it.
    pub fix: Option<Fix>,
}
