use super::File;
use crate::finding::{Confidence, Finding, Level};
use crate::span::SourceId;
use crate::yaml::Reader;

pub(super) fn check(file: &File, source: SourceId, findings: &mut Vec<Finding>) {
    for (document, problem) in &file.model.problems {
        let why = match problem.reader {
            Reader::Yaml => "no tool can read this document, so nothing in it is deployed or checked",
            Reader::Kubectl => "kubectl and the API server do not take it, though YAML itself would",
        };
        findings.push(Finding {
            rule: "syntax-error",
            level: Level::Error,
            confidence: Confidence::High,
            source,
            span: problem.span,
            document: *document,
            subject: String::new(),
            field_path: String::new(),
            message: problem.message.clone(),
            why: why.to_owned(),
            help: problem.help.clone(),
            labels: Vec::new(),
            fix: None,
        });
    }
}
