//! The pipeline without I/O: sources in, findings out. Command line, editor and tests call the same two functions,
//! [`read`] for each source on whatever thread, and [`lint`] once for all of them.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::finding::{Finding, Level};
use crate::model::{self, KubernetesVersion, Model, Origin};
use crate::rules::{self, File, Project};
use crate::source::{ReadError, Source, compare_paths};
use crate::span::SourceId;
use crate::yaml;

/// Which findings are wanted.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whether advice is shown.
    pub profile: Profile,
    /// Ids of the only rules to run, advice included; empty for all.
    pub select: Vec<String>,
    /// Ids of rules not to run.
    pub ignore: Vec<String>,
    /// The release of Kubernetes that the objects are meant for; without one nothing is said of what is new or stricter
    /// in some release.
    pub kubernetes_version: Option<KubernetesVersion>,
}

/// How much is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Errors and warnings.
    #[default]
    Recommended,
    /// Advice too.
    Strict,
}

impl Settings {
    fn runs(&self, rule: &str) -> bool {
        (self.select.is_empty() || self.select.iter().any(|id| id == rule)) && !self.ignore.iter().any(|id| id == rule)
    }

    fn shows(&self, finding: &Finding) -> bool {
        finding.level > Level::Advice || self.profile == Profile::Strict || !self.select.is_empty()
    }
}

/// Everything a report needs.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The sources that findings and labels point into, by [`SourceId`].
    pub sources: Vec<Source>,
    /// What was read from them, in the same order.
    pub models: Vec<Model>,
    /// Findings to show, sorted by path, place and rule.
    pub findings: Vec<Finding>,
    /// What was read, checked and left out.
    pub summary: Summary,
    /// Input that could not be read at all; for whoever reads sources to fill in.
    pub unread: Vec<ReadError>,
}

impl Outcome {
    /// The source of an id that a finding of this outcome carries.
    pub fn source(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// How many findings of one level are shown.
    pub fn count(&self, level: Level) -> u32 {
        self.findings.iter().filter(|finding| finding.level == level).count() as u32
    }
}

/// Counts of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files (or standard input) read.
    pub files: u32,
    /// YAML documents in them that hold something. Files that cannot matter are not cut into documents.
    pub documents: u32,
    /// Workloads and Tye services found.
    pub workloads: u32,
    /// Containers in them.
    pub containers: u32,
    /// Probes in them, and loose probe blocks.
    pub probes: u32,
    /// Documents or files that could not be checked (templates, broken documents), with the reason of each kind.
    pub not_checked: Vec<NotChecked>,
    /// Findings silenced on purpose.
    pub suppressed: u32,
    /// Findings of level advice that the profile keeps out of the report.
    pub hidden_advice: u32,
}

/// One kind of input that was passed over although it may matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotChecked {
    /// What it is, singular: "Helm template".
    pub what: &'static str,
    /// How many of them.
    pub count: u32,
    /// Paths of the files they are in, sorted, each once.
    pub paths: Vec<String>,
}

/// Reads one source. `None` for a text that cannot hold anything of interest, unless the user `named` it: then what is
/// wrong with it is of interest in any case. Of JSON that is not asked: hooks name every file there is, and much JSON
/// has comments and is nobody's manifest.
pub fn read(source: Source, named: bool) -> Option<File> {
    if model::is_settings_file(&source.path) {
        let is_yaml = !source.path.ends_with(".properties") && model::could_matter(&source.text);
        let model = if is_yaml { model::read(&source.path, &yaml::parse(&source.text)) } else { Model::default() };
        return Some(File { source, model });
    }
    let is_asked_for = named && !source.path.to_ascii_lowercase().ends_with(".json");
    if !is_asked_for && !model::could_matter(&source.text) {
        return None;
    }
    let model = model::read(&source.path, &yaml::parse(&source.text));
    Some(File { source, model })
}

/// Lints what was read. `passed_over` is the number of files that [`read`] had no interest in. The outcome does not
/// depend on the order of `files`.
pub fn lint(mut files: Vec<File>, passed_over: u32, settings: &Settings) -> Outcome {
    files.sort_by(|a, b| compare_paths(&a.source.path, &b.source.path));
    let mut summary = summarize(&files);
    summary.files += passed_over;
    let project = Project::new(files);
    let check = |index: usize| {
        rules::run(&project, SourceId(index as u32), settings.kubernetes_version, &|rule| settings.runs(rule))
    };
    let all: Vec<Vec<Finding>> = if project.files().len() < 16 {
        // Starting threads costs more than a handful of files.
        (0..project.files().len()).map(check).collect()
    } else {
        (0..project.files().len()).into_par_iter().map(check).collect()
    };
    let mut findings: Vec<Finding> = all.into_iter().flatten().collect();
    let before = findings.len();
    findings.retain(|finding| settings.shows(finding));
    summary.hidden_advice = (before - findings.len()) as u32;
    let (sources, models) = project.into_files().into_iter().map(|file| (file.source, file.model)).unzip();
    Outcome { sources, models, findings, summary, unread: Vec::new() }
}

fn summarize(files: &[File]) -> Summary {
    let mut summary = Summary { files: files.len() as u32, ..Summary::default() };
    let mut not_checked: BTreeMap<&'static str, NotChecked> = BTreeMap::new();
    for file in files {
        summary.documents += file.model.documents;
        for workload in &file.model.workloads {
            if workload.origin != Origin::Fragment {
                summary.workloads += 1;
                summary.containers += workload.containers.len() as u32;
            }
            summary.probes += workload.probes().count() as u32;
        }
        for &what in &file.model.not_checked {
            let entry = not_checked.entry(what).or_insert_with(|| NotChecked { what, count: 0, paths: Vec::new() });
            entry.count += 1;
            if entry.paths.last() != Some(&file.source.path) {
                entry.paths.push(file.source.path.clone());
            }
        }
    }
    summary.not_checked = not_checked.into_values().collect();
    summary
}
