use super::{Context, Sink, words};
use crate::finding::Level;
use crate::fix::{Fix, edit};
use crate::model::{Container, Field, Found, Number, OddList, Origin, Role};
use crate::span::Span;

/// `progressDeadlineSeconds` of a Deployment that writes none.
///
/// Source: kubernetes `pkg/apis/apps/v1/defaults.go`, `SetDefaults_Deployment`.
const DEFAULT_PROGRESS_DEADLINE: Number = 600;

/// Restart policies.
const POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    if workload.origin == Origin::Fragment || !workload.is_builtin() {
        return;
    }
    let mut check = Check { cx, sink };
    check.number("spec.progressDeadlineSeconds", &workload.progress_deadline);
    check.number("spec.minReadySeconds", &workload.min_ready);
    check.number("spec.replicas", &workload.replicas);
    if let Field::Wrong { found, at, .. } = &workload.host_network {
        check.must_be(&format!("{}.hostNetwork", workload.pod_path), *at, *found, "true or false");
    }
    let grace = format!("{}.terminationGracePeriodSeconds", workload.pod_path);
    if let Field::Wrong { found, at, .. } = &workload.grace_period {
        check.must_be(&grace, *at, *found, "a whole number");
    }
    check.rollout();
    check.restart_policy();
    for container in &workload.containers {
        check.container_policy(container);
    }
    check.lists();
}

struct Check<'c, 's, 'f> {
    cx: &'c Context<'c>,
    sink: &'s mut Sink<'f>,
}

impl Check<'_, '_, '_> {
    fn report(&mut self, path: &str, at: Span, message: String, help: &str) {
        let why = words::refused(self.cx);
        self.sink.path(path, at, message).why(why).help(help);
    }

    fn must_be(&mut self, path: &str, at: Span, found: Found, expected: &str) {
        let field = path.rsplit('.').next().unwrap_or(path);
        let message = format!("`{field}` must be {expected}, not {}", found.with_article());
        self.report(path, at, message, &format!("write {expected}"));
    }

    /// A count of seconds that fits 32 bits and is not negative.
    fn number(&mut self, path: &str, value: &Field<Number>) {
        let field = path.rsplit('.').next().unwrap_or(path);
        match value {
            Field::Wrong { found, at, .. } => self.must_be(path, *at, *found, "a whole number"),
            Field::Value { value, at, .. } if words::beyond_int32(*value) => {
                let message = format!("`{field}` is {value}, more than a 32-bit integer holds");
                self.report(path, *at, message, "write at most 2147483647");
            }
            Field::Value { value, at, .. } if *value < 0 => {
                self.report(path, *at, format!("`{field}` is {value}, which is negative"), "write 0 or more");
            }
            _ => {}
        }
    }

    /// Source: kubernetes `pkg/apis/apps/validation/validation.go`, `ValidateDeploymentSpec`.
    fn rollout(&mut self) {
        let workload = self.cx.workload;
        if workload.kind != "Deployment" || workload.origin != Origin::Complete {
            return;
        }
        let known = |field: &Field<Number>, default| match field {
            Field::Value { value, .. } => Some(*value),
            Field::Absent | Field::Null { .. } => Some(default),
            Field::Wrong { .. } | Field::Templated { .. } => None,
        };
        let deadline = known(&workload.progress_deadline, DEFAULT_PROGRESS_DEADLINE);
        let (Some(deadline), Some(ready)) = (deadline, known(&workload.min_ready, 0)) else { return };
        if deadline > ready || ready < 0 || deadline < 0 {
            return;
        }
        let (deadline_at, ready_at) = (workload.progress_deadline.at(), workload.min_ready.at());
        let Some(at) = deadline_at.or(ready_at) else { return };
        let default = if deadline_at.is_none() { " (the default)" } else { "" };
        let message = format!(
            "`progressDeadlineSeconds` is {deadline} s{default}, but must be more than `minReadySeconds`, {ready} s"
        );
        let why = words::refused(self.cx);
        let report = self.sink.path("spec.progressDeadlineSeconds", at, message).why(why).help(format!(
            "write `progressDeadlineSeconds: {}` or more: a pod counts only after {ready} s of being ready",
            ready + DEFAULT_PROGRESS_DEADLINE
        ));
        if let (Some(_), Some(ready_at)) = (deadline_at, ready_at) {
            let _ = report.label(ready_at, "`minReadySeconds`");
        }
    }

    fn restart_policy(&mut self) {
        let workload = self.cx.workload;
        let path = format!("{}.restartPolicy", workload.pod_path);
        let legal: &[&str] = match workload.kind.as_str() {
            "Pod" | "PodTemplate" => &POLICIES,
            "Job" | "CronJob" => &["OnFailure", "Never"],
            _ => &["Always"],
        };
        match &workload.restart_policy {
            Field::Wrong { found, at, .. } => self.must_be(&path, *at, *found, "text"),
            Field::Value { value, at, .. } if !legal.contains(&value.as_str()) && !value.is_empty() => {
                let kind = &workload.kind;
                let choices = legal.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
                let message = format!("`restartPolicy: {value}` is not for the pods of a {kind}");
                let fix = match legal {
                    [only] => {
                        let text = edit::quoted_like(self.cx.text, *at, only);
                        Some(Fix::risky(format!("write `{only}`"), vec![edit::replace(*at, text)]))
                    }
                    _ => None,
                };
                let why = words::refused(self.cx);
                self.sink.path(&path, *at, message).why(why).help(format!("write {choices}")).fix(fix);
            }
            Field::Absent | Field::Null { .. }
                if workload.origin == Origin::Complete && matches!(workload.kind.as_str(), "Job" | "CronJob") =>
            {
                let at = workload.containers.first().map_or(Span::at(0), |container| container.name_at);
                let at = workload.name.as_ref().map_or(at, |name| name.span);
                let message = format!("the pods of this {} have no `restartPolicy`", workload.kind);
                self.report(
                    &path,
                    at,
                    message,
                    "write `restartPolicy: OnFailure` or `Never` beside `containers`: the default, `Always`, is refused",
                );
            }
            _ => {}
        }
    }

    /// Source: kubernetes `pkg/api/pod/util.go`, `dropContainerRestartRules` (1.34), and
    /// `pkg/apis/core/validation/validation.go`, `validateInitContainerRestartPolicy`.
    fn container_policy(&mut self, container: &Container) {
        let path = format!("{}.restartPolicy", container.path);
        let (policy, at) = match &container.restart_policy {
            Field::Wrong { found, at, .. } => return self.must_be(&path, *at, *found, "text"),
            Field::Value { value, at, .. } => (value, *at),
            _ => return,
        };
        // A probe on such a container is told with the policy beside it.
        let is_told = container.role == Role::Init && !container.probes.is_empty();
        if POLICIES.contains(&policy.as_str()) || policy.is_empty() || is_told {
            return;
        }
        let owner = words::owner(self.cx.workload, container);
        let legal = POLICIES.iter().find(|legal| legal.eq_ignore_ascii_case(policy));
        let text = legal.map(|legal| edit::quoted_like(self.cx.text, at, legal));
        let drops = self.cx.kubernetes_version.is_none_or(|version| version.minor == 34);
        let (level, why) = if drops {
            (Level::Warning, "Kubernetes 1.34 drops the value without a word, other releases refuse the object")
        } else {
            (Level::Error, words::refused(self.cx))
        };
        self.sink
            .path(&path, at, format!("`restartPolicy: {policy}` of {owner} is no restart policy"))
            .level(level)
            .why(why)
            .help("write `Always`, `OnFailure` or `Never`, letter by letter")
            .fix(
                legal
                    .zip(text)
                    .map(|(legal, text)| Fix::risky(format!("write `{legal}`"), vec![edit::replace(at, text)])),
            );
    }

    fn lists(&mut self) {
        let workload = self.cx.workload;
        for list in &workload.odd_lists {
            match list {
                // A patch may well delete them all.
                OddList::Empty(path, at) => {
                    let message = format!("the {} has no containers", workload.kind);
                    self.report(path, *at, message, "list at least one container with a `name` and an `image`");
                }
                OddList::NullItem(path, at) => {
                    let message = format!("`{path}` is null, so the container has neither name nor image");
                    self.report(&format!("{path}.name"), *at, message, "delete the item, or write the container");
                }
                OddList::Wrong(path, found, at) => {
                    let expected = if path.ends_with(']') { "a map" } else { "a list of containers" };
                    self.must_be(path, *at, *found, expected);
                }
                OddList::Ephemeral(path, at) => {
                    let is_ephemeral = |container: &&Container| container.role == Role::Ephemeral;
                    let probed = workload
                        .containers
                        .iter()
                        .filter(is_ephemeral)
                        .any(|container| !container.probes.is_empty() || container.lifecycle.key.is_some());
                    // What the cluster keeps has them legally; a probe in them is told by itself.
                    if workload.is_live || probed && workload.origin == Origin::Complete {
                        continue;
                    }
                    let message = format!("a {} may not have `ephemeralContainers` when it is made", workload.kind);
                    self.report(path, *at, message, "delete them; `kubectl debug` adds one to a running pod");
                }
            }
        }
    }
}
