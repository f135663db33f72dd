use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, Field, Origin, ProbeKind, Role};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for container in &cx.workload.containers {
        match container.role {
            // A patch need not repeat the `restartPolicy` that makes a sidecar.
            Role::Init | Role::Ephemeral if cx.workload.origin == Origin::Complete => forbidden(cx, sink, container),
            Role::Main | Role::Sidecar => grace_period(cx, sink, container),
            Role::Init | Role::Ephemeral => {}
        }
    }
}

/// Probes and hooks where the API server wants none, whatever is in them.
fn forbidden(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container) {
    let owner = match container.role {
        Role::Ephemeral => format!("ephemeral container `{}`", container.name),
        _ => format!("init container `{}`", container.name),
    };
    let is_init = container.role == Role::Init;
    let almost =
        container.restart_policy.spanned().filter(|(policy, _)| is_init && policy.eq_ignore_ascii_case("always"));
    let probes = container.probes.iter().map(|probe| (probe.field(), probe.key, probe.at));
    let lifecycle = container.lifecycle.key.map(|key| {
        let value = container.keys.iter().find(|known| known.name == "lifecycle").map_or(key, |known| known.value);
        ("lifecycle", key, value)
    });
    for (field, key, value) in probes.chain(lifecycle) {
        let mut report = sink
            .container(container, field, key, format!("{owner} has a `{field}`, which it may not have"))
            .why(words::refused(cx));
        report = match almost {
            Some((policy, at)) => report
                .label(at, format!("`{policy}` does not make it a sidecar, `Always` does"))
                .help("write `restartPolicy: Always`"),
            None if is_init => report.help(format!(
                "delete it: an init container runs to its end and is not probed; one that runs on beside the others (a \
                 sidecar, since 1.29) needs `restartPolicy: Always`, and may then have a `{field}`"
            )),
            None => report.help("delete it: an ephemeral container is for looking into a running pod"),
        };
        let fix = match almost {
            Some((_, at)) => {
                let text = edit::quoted_like(cx.text, at, "Always");
                Some(Fix::risky("write `restartPolicy: Always`", vec![edit::replace(at, text)]))
            }
            None => edit::remove_entry(cx.text, container.at, key, value)
                .map(|edit| Fix::risky(format!("delete `{field}`"), vec![edit])),
        };
        let _ = report.fix(fix);
    }
}

/// A grace period of its own has only a probe that kills.
fn grace_period(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container) {
    let Some(probe) = container.probe(ProbeKind::Readiness) else { return };
    let Field::Value { key, at, .. } = &probe.grace_period else { return };
    let field = "terminationGracePeriodSeconds";
    let who = words::probe(cx.workload, container, probe);
    let _ = sink
        .probe(container, probe, field, *key, format!("{who} has a `{field}`, though it never stops the container"))
        .why(words::refused(cx))
        .help("delete it; only liveness and startup probes may have one")
        .fix(
            edit::remove_entry(cx.text, probe.at, *key, *at)
                .map(|edit| Fix::safe(format!("delete `{field}`"), vec![edit])),
        );
}
