use super::{Context, Sink, words};
use crate::finding::Level;
use crate::model::{Container, ProbeKind, Role};
use crate::span::Span;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    if !workload.is_builtin() {
        return;
    }
    for (container, probe) in workload.probes() {
        // A sidecar starts again whatever the pod says, and other init containers have no probes.
        if probe.kind != ProbeKind::Liveness || container.role != Role::Main {
            continue;
        }
        let Some(policy) = never(cx, container) else { continue };
        let who = words::probe(workload, container, probe);
        let within = match words::numbers(probe) {
            Some(numbers) => format!("within {}", numbers.act_after_hang()),
            None => "soon".to_owned(),
        };
        let is_job = matches!(workload.kind.as_str(), "Job" | "CronJob");
        // The default is 6: the Job then starts another pod.
        let tries_again = is_job && workload.backoff_limit.value() != Some(&0);
        let then = match (is_job, tries_again) {
            (true, true) => {
                "the pod fails and the Job starts another one, up to `backoffLimit`; but a process that ends with 0 \
                 when it is told to end makes the Job complete, with its work half done"
            }
            (true, false) => {
                "the Job has failed, for `backoffLimit` is 0; but a process that ends with 0 when it is told to end \
                 makes it complete, with its work half done"
            }
            (false, _) => "the pod stays as it is, failed or even completed, and nobody starts it again",
        };
        let message = format!("{who} ends the container for good: `restartPolicy` is `Never`");
        let report = sink
            .probe(container, probe, "", probe.key, message)
            .label(policy, "nothing is restarted")
            .why(format!("a hang is answered {within} by ending the process: {then}"))
            .help(if is_job {
                "set `restartPolicy: OnFailure`, or bound the time with `activeDeadlineSeconds` in place of the probe"
            } else {
                "set `restartPolicy: Always` or `OnFailure`, or leave the probe out"
            });
        if tries_again {
            report.level(Level::Advice);
        }
    }
}

/// Where `restartPolicy: Never` is written that holds for a container.
///
/// Source: kubernetes `pkg/kubelet/container/helpers.go`, `ShouldContainerBeRestarted`; container-level policies are
/// minded since 1.35.
fn never(cx: &Context<'_>, container: &Container) -> Option<Span> {
    let (policy, at) = container.restart_policy.spanned().or_else(|| cx.workload.restart_policy.spanned())?;
    (policy == "Never").then_some(at)
}
