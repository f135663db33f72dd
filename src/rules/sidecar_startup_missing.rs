use super::{Context, Sink, coverage, words};
use crate::model::{HookKind, ProbeKind, Role};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    if !coverage::is_complete(cx.workload) {
        return;
    }
    for container in cx.workload.containers.iter().filter(|container| container.role == Role::Sidecar) {
        // The next container also waits until `postStart` is over.
        let has_hook = container.lifecycle.hooks.iter().any(|hook| hook.kind == HookKind::PostStart);
        if coverage::may_have(container, ProbeKind::Startup) || has_hook {
            continue;
        }
        let message = format!("{} has no startup probe", words::owner(cx.workload, container));
        let ready = if coverage::may_have(container, ProbeKind::Readiness) {
            "; its readiness probe decides about the pod's traffic, but holds nothing back"
        } else {
            ""
        };
        sink.container(container, "startupProbe", container.name_at, message)
            .why(format!(
                "the containers after it start as soon as its process runs, not when it works: what they send through \
                 it, or expect of it, fails at first{ready}"
            ))
            .help("add a `startupProbe`, which the next containers wait for, unless they can do without it at first");
    }
}
