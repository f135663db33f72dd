//! The rules: one function and one page each, and the table that lists them. A rule looks at one workload with the
//! whole project at hand and reports; it prints nothing, configures nothing and keeps nothing.

mod page;
mod project;
mod sink;

mod constant;
mod container_port_invalid;
mod coverage;
mod dependency;
mod edits;
mod environment;
mod exec;
mod exec_always_succeeds;
mod exec_curl_without_fail;
mod exec_endless_output;
mod exec_native_available;
mod exec_process_check;
mod exec_ready_too_early;
mod exec_shell_missing;
mod exec_shell_syntax;
mod exec_timeout_inside;
mod exec_variable_not_expanded;
mod grace_period_too_short;
mod handlers;
mod http_probe_auth;
mod http_probe_heavy_path;
mod http_probe_invalid;
mod http_probe_path_url;
mod http_probe_secret;
mod initial_delay_with_startup_probe;
mod lifecycle_hook_invalid;
mod liveness_checks_dependency;
mod liveness_faster_than_readiness;
mod liveness_missing;
mod liveness_same_as_readiness;
mod liveness_single_failure;
mod liveness_success_threshold;
mod liveness_uses_readiness_endpoint;
mod liveness_window_too_short;
mod liveness_without_restart;
mod manifest_unknown_field;
mod mesh_probe_rewrite_disabled;
mod names;
mod ports;
mod probe_duplicate_key;
mod probe_handler_conflict;
mod probe_handler_missing;
mod probe_host_external;
mod probe_host_loopback;
mod probe_host_restricted;
mod probe_misplaced;
mod probe_not_allowed;
mod probe_port_loopback;
mod probe_port_name_invalid;
mod probe_port_protocol;
mod probe_port_undeclared;
mod probe_port_undefined;
mod probe_scheme_port;
mod probe_too_frequent;
mod probe_too_slow;
mod probe_unknown_field;
mod probe_value_range;
mod probe_value_type;
mod probe_version_unsupported;
mod readiness_checks_dependency;
mod readiness_missing;
mod readiness_recovery_slow;
mod readiness_single_failure;
mod readiness_without_effect;
mod rewrap;
mod rollout;
mod service_readiness_port;
mod sidecar_startup_missing;
mod spelling;
mod spring;
mod spring_probe_endpoint;
mod startup_exceeds_progress_deadline;
mod startup_probe_missing;
mod startup_window_too_long;
mod startup_window_too_short;
mod statefulset_readiness_deadlock;
mod syntax_error;
mod tcp_probe_weak;
mod timeout_exceeds_period;
mod timeout_too_tight;
mod traffic;
mod words;
mod workload_field_invalid;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use page::{AppliesTo, Page, parse as parse_page};
pub use project::{File, Project, Replicas, ReplicasFrom};
pub use sink::{Report, Sink};

use crate::finding::Finding;
use crate::model::{KubernetesVersion, Workload};
use crate::span::SourceId;

/// What a rule sees.
#[derive(Debug)]
pub struct Context<'a> {
    /// All sources of the run with their models.
    pub project: &'a Project,
    /// The source the workload stands in.
    pub source: SourceId,
    /// Text of that source.
    pub text: &'a str,
    /// The workload to look at.
    pub workload: &'a Workload,
    /// The release of Kubernetes that is asked about, if any is.
    pub kubernetes_version: Option<KubernetesVersion>,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Its id.
    pub id: &'static str,
    page: &'static str,
    check: Check,
}

/// What a rule is called with.
#[derive(Debug)]
enum Check {
    /// Once for each workload.
    Workload(fn(&Context<'_>, &mut Sink<'_>)),
    /// Once for each source.
    File(fn(&File, SourceId, &mut Vec<Finding>)),
}

macro_rules! rule {
    ($module:ident, $id:literal) => {
        rule!($module, $id, Workload)
    };
    ($module:ident, $id:literal, $kind:ident) => {
        Rule { id: $id, page: include_str!(concat!("../../rules/", $id, ".md")), check: Check::$kind($module::check) }
    };
}

/// All rules in the order of the catalogue.
pub static RULES: &[Rule] = &[
    rule!(syntax_error, "syntax-error", File),
    rule!(liveness_success_threshold, "liveness-success-threshold"),
    rule!(probe_handler_missing, "probe-handler-missing"),
    rule!(probe_handler_conflict, "probe-handler-conflict"),
    rule!(probe_value_range, "probe-value-range"),
    rule!(probe_value_type, "probe-value-type"),
    rule!(probe_unknown_field, "probe-unknown-field"),
    rule!(probe_misplaced, "probe-misplaced"),
    rule!(probe_duplicate_key, "probe-duplicate-key"),
    rule!(probe_not_allowed, "probe-not-allowed"),
    rule!(probe_port_name_invalid, "probe-port-name-invalid"),
    rule!(probe_port_undefined, "probe-port-undefined"),
    rule!(http_probe_invalid, "http-probe-invalid"),
    rule!(lifecycle_hook_invalid, "lifecycle-hook-invalid"),
    rule!(container_port_invalid, "container-port-invalid"),
    rule!(workload_field_invalid, "workload-field-invalid"),
    rule!(manifest_unknown_field, "manifest-unknown-field"),
    rule!(probe_version_unsupported, "probe-version-unsupported"),
    rule!(probe_host_loopback, "probe-host-loopback"),
    rule!(probe_host_external, "probe-host-external"),
    rule!(probe_host_restricted, "probe-host-restricted"),
    rule!(probe_port_loopback, "probe-port-loopback"),
    rule!(probe_port_undeclared, "probe-port-undeclared"),
    rule!(probe_port_protocol, "probe-port-protocol"),
    rule!(service_readiness_port, "service-readiness-port"),
    rule!(probe_scheme_port, "probe-scheme-port"),
    rule!(tcp_probe_weak, "tcp-probe-weak"),
    rule!(spring_probe_endpoint, "spring-probe-endpoint"),
    rule!(exec_shell_syntax, "exec-shell-syntax"),
    rule!(exec_variable_not_expanded, "exec-variable-not-expanded"),
    rule!(exec_always_succeeds, "exec-always-succeeds"),
    rule!(exec_curl_without_fail, "exec-curl-without-fail"),
    rule!(exec_timeout_inside, "exec-timeout-inside"),
    rule!(exec_endless_output, "exec-endless-output"),
    rule!(exec_ready_too_early, "exec-ready-too-early"),
    rule!(exec_shell_missing, "exec-shell-missing"),
    rule!(exec_native_available, "exec-native-available"),
    rule!(exec_process_check, "exec-process-check"),
    rule!(http_probe_path_url, "http-probe-path-url"),
    rule!(http_probe_auth, "http-probe-auth"),
    rule!(http_probe_heavy_path, "http-probe-heavy-path"),
    rule!(http_probe_secret, "http-probe-secret"),
    rule!(mesh_probe_rewrite_disabled, "mesh-probe-rewrite-disabled"),
    rule!(liveness_checks_dependency, "liveness-checks-dependency"),
    rule!(readiness_checks_dependency, "readiness-checks-dependency"),
    rule!(liveness_uses_readiness_endpoint, "liveness-uses-readiness-endpoint"),
    rule!(liveness_same_as_readiness, "liveness-same-as-readiness"),
    rule!(timeout_too_tight, "timeout-too-tight"),
    rule!(timeout_exceeds_period, "timeout-exceeds-period"),
    rule!(liveness_window_too_short, "liveness-window-too-short"),
    rule!(liveness_single_failure, "liveness-single-failure"),
    rule!(readiness_single_failure, "readiness-single-failure"),
    rule!(liveness_faster_than_readiness, "liveness-faster-than-readiness"),
    rule!(startup_probe_missing, "startup-probe-missing"),
    rule!(startup_window_too_short, "startup-window-too-short"),
    rule!(startup_window_too_long, "startup-window-too-long"),
    rule!(startup_exceeds_progress_deadline, "startup-exceeds-progress-deadline"),
    rule!(initial_delay_with_startup_probe, "initial-delay-with-startup-probe"),
    rule!(probe_too_frequent, "probe-too-frequent"),
    rule!(probe_too_slow, "probe-too-slow"),
    rule!(grace_period_too_short, "grace-period-too-short"),
    rule!(readiness_recovery_slow, "readiness-recovery-slow"),
    rule!(readiness_missing, "readiness-missing"),
    rule!(liveness_missing, "liveness-missing"),
    rule!(readiness_without_effect, "readiness-without-effect"),
    rule!(liveness_without_restart, "liveness-without-restart"),
    rule!(statefulset_readiness_deadlock, "statefulset-readiness-deadlock"),
    rule!(sidecar_startup_missing, "sidecar-startup-missing"),
];

/// Pages in the order of [`RULES`], read when somebody first asks for one.
static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    // A page that cannot be read is left out here and fails `tests/rules.rs`, which reads them all.
    RULES.iter().filter_map(|rule| page::parse(rule.page).ok()).collect()
});

/// All pages in the order of the catalogue.
pub fn pages() -> &'static [Page] {
    &PAGES
}

/// The page of a rule.
pub fn page(id: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.id == id)
}

/// The raw text of all pages, for tests of the pages themselves.
pub fn page_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.id, rule.page))
}

/// The rule whose id is nearest to a misspelt one, if any is near.
pub fn nearest(id: &str) -> Option<&'static str> {
    let near = |rule: &&Rule| strsim::damerau_levenshtein(id, rule.id) <= (id.len() / 3).max(2);
    let contains = |rule: &&Rule| id.len() >= 4 && rule.id.contains(id);
    let by_distance = RULES.iter().filter(near).min_by_key(|rule| strsim::damerau_levenshtein(id, rule.id));
    by_distance.or_else(|| RULES.iter().find(contains)).map(|rule| rule.id)
}

/// What the selected rules find in one source of the project.
pub fn run(
    project: &Project,
    source: SourceId,
    kubernetes_version: Option<KubernetesVersion>,
    selected: &dyn Fn(&str) -> bool,
) -> Vec<Finding> {
    let file = project.file(source);
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| selected(rule.id)) {
        match rule.check {
            Check::File(check) => check(file, source, &mut findings),
            Check::Workload(check) => {
                for workload in &file.model.workloads {
                    let context = Context { project, source, text: &file.source.text, workload, kubernetes_version };
                    let before = findings.len();
                    check(&context, &mut Sink::new(rule.id, source, workload, &mut findings));
                    // Asked only when there is something to ask about: pages are not read for a clean file.
                    if findings.len() > before && !applies(rule.id, workload) {
                        findings.truncate(before);
                    }
                }
            }
        }
    }
    settle(findings)
}

/// Whether a rule's page says that it looks at such workloads.
fn applies(id: &str, workload: &Workload) -> bool {
    page(id).is_none_or(|page| page.applies_to.contains(&AppliesTo::of(workload)))
}

/// Leaves one finding for one fault: the more specific rule speaks, and what an alias shows twice is said once.
fn settle(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| (a.span, a.rule, &a.subject, &a.message).cmp(&(b.span, b.rule, &b.subject, &b.message)));
    // Only a finding of a rule that supersedes others, about the same subject, can silence one.
    let mut strong: HashMap<&str, Vec<&Finding>> = HashMap::new();
    for finding in findings.iter().filter(|finding| !supersedes(finding.rule).is_empty()) {
        strong.entry(&finding.subject).or_default().push(finding);
    }
    let is_superseded = |weak: &Finding| {
        strong.get(weak.subject.as_str()).into_iter().flatten().any(|strong| {
            // What is not shown under the default profile must not hide what is.
            supersedes(strong.rule).iter().any(|rule| rule == weak.rule)
                && strong.level >= weak.level
                && (is_within(&strong.field_path, &weak.field_path) || strong.span.touches(weak.span))
        })
    };
    let keep: Vec<bool> = findings.iter().map(|finding| !is_superseded(finding)).collect();
    let mut keep = keep.into_iter();
    findings.retain(|_| keep.next().unwrap_or(true));
    findings.dedup_by(|a, b| a.rule == b.rule && a.span == b.span && a.message == b.message);
    findings
}

/// Whether a field is another one or a part of it: `livenessProbe.httpGet` is within `livenessProbe`.
fn is_within(field: &str, whole: &str) -> bool {
    field.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn supersedes(id: &str) -> &'static [String] {
    page(id).map_or(&[], |page| &page.supersedes)
}
