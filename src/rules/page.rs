//! Rule pages: Markdown with YAML front matter, the only place where a rule's words and metadata live.

use crate::finding::{Confidence, Level};
use crate::fix::Safety;
use crate::model::{Orchestrator, Origin, Workload};
use crate::yaml::{self, Node};

/// A page taken apart.
#[derive(Debug)]
pub struct Page {
    /// Id of the rule, kebab-case.
    pub id: String,
    /// One line, for tables.
    pub summary: String,
    /// Group of the catalogue: schema, target, dependency, timing, coverage.
    pub group: String,
    /// Level unless the rule finds less evidence.
    pub level: Level,
    /// Confidence unless the rule finds less evidence.
    pub confidence: Confidence,
    /// What the rule looks at.
    pub applies_to: Vec<AppliesTo>,
    /// Safety of the fix, for rules that offer one.
    pub fix: Option<Safety>,
    /// Rules that stay silent where this one speaks of the same cause.
    pub supersedes: Vec<String>,
    /// Version that brought the rule.
    pub since: String,
    /// Markdown behind the front matter.
    pub body: &'static str,
}

/// Kinds of input a rule can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppliesTo {
    /// Objects with a pod template, complete or patches.
    Kubernetes,
    /// Services of a `tye.yaml`.
    Tye,
    /// Probe blocks outside any workload, as in Helm values.
    Fragment,
    /// Text, before anything is known of its meaning.
    Text,
}

impl AppliesTo {
    /// The word in the front matter.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Tye => "tye",
            Self::Fragment => "fragment",
            Self::Text => "text",
        }
    }

    /// What a workload counts as.
    pub const fn of(workload: &Workload) -> Self {
        match (workload.orchestrator, workload.origin) {
            (Orchestrator::Tye, _) => Self::Tye,
            (_, Origin::Fragment) => Self::Fragment,
            _ => Self::Kubernetes,
        }
    }
}

/// Reads a page. The message of an error says what to correct; pages are part of the program, so tests read them all.
pub fn parse(text: &'static str) -> Result<Page, String> {
    let rest = text.strip_prefix("---\n").ok_or("the page must start with front matter between `---` lines")?;
    let (front, body) = rest.split_once("\n---\n").ok_or("the front matter is not closed with `---`")?;
    let tree = yaml::parse(front);
    let root = tree.documents().first().and_then(|document| tree.root(document)).ok_or("empty front matter")?;
    let text = |key: &str| root.get(key).map(Node::text).ok_or(format!("`{key}` is missing"));
    let list = |key: &str| root.get(key).into_iter().flat_map(Node::items).map(Node::text);
    let level = match text("level")? {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "advice" => Level::Advice,
        other => return Err(format!("unknown level `{other}`")),
    };
    let confidence = match text("confidence")? {
        "high" => Confidence::High,
        "medium" => Confidence::Medium,
        "low" => Confidence::Low,
        other => return Err(format!("unknown confidence `{other}`")),
    };
    let fix = match text("fix")? {
        "safe" => Some(Safety::Safe),
        "unsafe" => Some(Safety::Unsafe),
        "none" => None,
        other => return Err(format!("unknown fix `{other}`")),
    };
    let all = [AppliesTo::Kubernetes, AppliesTo::Tye, AppliesTo::Fragment, AppliesTo::Text];
    let applies_to = list("applies-to")
        .map(|name| all.into_iter().find(|kind| kind.name() == name).ok_or(format!("unknown input `{name}`")))
        .collect::<Result<_, _>>()?;
    Ok(Page {
        id: text("id")?.to_owned(),
        summary: text("summary")?.to_owned(),
        group: text("group")?.to_owned(),
        level,
        confidence,
        applies_to,
        fix,
        supersedes: list("supersedes").map(str::to_owned).collect(),
        since: text("since")?.to_owned(),
        body: body.trim_start_matches('\n'),
    })
}
