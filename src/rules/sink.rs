//! Takes what a rule reports and completes it with everything that the rule need not say.

use super::page;
use crate::finding::{Confidence, Finding, Label, Level};
use crate::fix::Fix;
use crate::model::{Container, Origin, Probe, Workload};
use crate::span::{SourceId, Span};

/// Where one rule reports what it finds in one workload.
#[derive(Debug)]
pub struct Sink<'a> {
    rule: &'static str,
    source: SourceId,
    workload: &'a Workload,
    findings: &'a mut Vec<Finding>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        rule: &'static str,
        source: SourceId,
        workload: &'a Workload,
        findings: &'a mut Vec<Finding>,
    ) -> Self {
        Self { rule, source, workload, findings }
    }

    /// Reports a fault in a probe. `field` is its path inside the probe, such as `httpGet.port`; empty for the probe
    /// itself.
    pub fn probe(
        &mut self,
        container: &Container,
        probe: &Probe,
        field: &str,
        span: Span,
        message: impl Into<String>,
    ) -> Report<'_> {
        let mut path = join(&container.path, probe.field());
        if !field.is_empty() {
            path.push('.');
            path.push_str(field);
        }
        let mut subject = self.subject(container);
        subject.push_str(" > ");
        subject.push_str(probe.field());
        let mut report = self.report(subject, path, span, message.into());
        report.editable = probe.editable;
        if let Some(alias) = probe.alias {
            return report.label(alias, format!("the {} probe takes it from there", probe.kind.word()));
        }
        report
    }

    /// Reports a fault in a container. `field` is its path inside the container; empty for the container itself.
    pub fn container(
        &mut self,
        container: &Container,
        field: &str,
        span: Span,
        message: impl Into<String>,
    ) -> Report<'_> {
        let path = if field.is_empty() { container.path.clone() } else { join(&container.path, field) };
        let subject = self.subject(container);
        let mut report = self.report(subject, path, span, message.into());
        report.editable = container.editable;
        report
    }

    /// Reports a fault in the object around its containers. `path` is the field as the API server writes it.
    pub fn workload(&mut self, path: &str, span: Span, message: impl Into<String>) -> Report<'_> {
        let subject = self.workload.subject.clone();
        self.report(subject, path.to_owned(), span, message.into())
    }

    /// Reports a fault at a path of the object, which may lie in one of its containers or probes.
    pub fn path(&mut self, path: &str, span: Span, message: impl Into<String>) -> Report<'_> {
        let Some(container) = self.workload.container_at(path) else {
            return self.workload(path, span, message);
        };
        let field = path.get(container.path.len()..).unwrap_or_default().trim_start_matches('.');
        let key = field.split('.').next().unwrap_or_default();
        match container.probes.iter().find(|probe| probe.field() == key) {
            Some(probe) if key.len() < field.len() => {
                self.probe(container, probe, &field[key.len() + 1..], span, message)
            }
            _ => self.container(container, field, span, message),
        }
    }

    fn subject(&self, container: &Container) -> String {
        match self.workload.origin {
            Origin::Fragment => self.workload.subject.clone(),
            // A Tye service is its own container.
            _ if self.workload.tye.is_some() => self.workload.subject.clone(),
            _ => format!("{} > {}", self.workload.subject, container.name),
        }
    }

    fn report(&mut self, subject: String, field_path: String, span: Span, message: String) -> Report<'_> {
        let page = page(self.rule);
        let finding = Finding {
            rule: self.rule,
            level: page.map_or(Level::Warning, |page| page.level),
            confidence: page.map_or(Confidence::Medium, |page| page.confidence),
            source: self.source,
            span,
            document: self.workload.document,
            subject,
            field_path,
            message,
            why: String::new(),
            help: String::new(),
            labels: Vec::new(),
            fix: None,
        };
        let at = self.findings.len();
        self.findings.push(finding);
        Report { finding: &mut self.findings[at], editable: true }
    }
}

fn join(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

/// A finding that is being completed.
#[derive(Debug)]
pub struct Report<'a> {
    finding: &'a mut Finding,
    /// Whether an edit changes the faulty place and nothing else: false behind an alias.
    editable: bool,
}

impl Report<'_> {
    /// What happens, in seconds and restarts.
    pub fn why(self, why: impl Into<String>) -> Self {
        self.finding.why = why.into();
        self
    }

    /// What to write instead.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.finding.help = help.into();
        self
    }

    /// Another place in the same source that makes the case.
    pub fn label(self, span: Span, text: impl Into<String>) -> Self {
        let source = self.finding.source;
        self.label_in(source, span, text)
    }

    /// Another place, perhaps in another source.
    pub fn label_in(self, source: SourceId, span: Span, text: impl Into<String>) -> Self {
        self.finding.labels.push(Label { source, span, text: text.into() });
        self
    }

    /// The edit that mends it; dropped where the place is shared through an alias. Without edits there is no fix.
    pub fn fix(self, fix: Option<Fix>) -> Self {
        if self.editable {
            self.finding.fix = fix.filter(|fix| !fix.edits.is_empty());
        }
        self
    }

    /// A level below or above the page's.
    pub fn level(self, level: Level) -> Self {
        self.finding.level = level;
        self
    }

    /// A confidence below or above the page's.
    pub fn confidence(self, confidence: Confidence) -> Self {
        self.finding.confidence = confidence;
        self
    }
}
