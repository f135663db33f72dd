use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, Handler};
use crate::span::Span;

/// The release since which the Baseline level of Pod Security refuses a `host`.
///
/// Source: kubernetes/enhancements KEP 4940; "Pod Security Standards" of the Kubernetes documentation.
const SINCE: u16 = 34;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    if cx.kubernetes_version.is_none_or(|version| version.minor < SINCE) {
        return;
    }
    for container in &cx.workload.containers {
        for probe in container.probes.iter().filter(|_| container.may_have_probes()) {
            for handler in &probe.handlers {
                let Some((at, host)) = host(handler) else { continue };
                let who = words::probe(cx.workload, container, probe);
                let field = format!("{}.host", handler.kind().field());
                let report = sink.probe(container, probe, &field, at, message(&who, &host));
                let _ = report.why(WHY).help(HELP).fix(remove(cx, handler));
            }
        }
        for hook in &container.lifecycle.hooks {
            for handler in &hook.handlers {
                let Some((at, host)) = host(handler) else { continue };
                let who = hook_name(cx, container, hook.kind.field());
                let field = format!("lifecycle.{}.{}.host", hook.kind.field(), handler.kind().field());
                let report = sink.container(container, &field, at, message(&who, &host));
                let _ = report.why(WHY).help(HELP).fix(remove(cx, handler));
            }
        }
    }
}

const WHY: &str = "since 1.34 the Baseline level of Pod Security refuses a pod whose probes or hooks name a host, because \
                   the kubelet would dial it from the node; where the namespace enforces it, no pod is made";
const HELP: &str = "delete `host`: the pod's own address is the default; for a virtual host set the `Host` header in \
                    `httpHeaders`";

fn message(who: &str, host: &str) -> String {
    format!("{who} names the host `{host}`, which Pod Security forbids")
}

fn hook_name(cx: &Context<'_>, container: &Container, hook: &str) -> String {
    format!("the `{hook}` hook of {}", words::owner(cx.workload, container))
}

fn host(handler: &Handler) -> Option<(Span, String)> {
    let (host, at) = handler.host()?.spanned()?;
    (!host.is_empty()).then(|| (at, host.clone()))
}

fn remove(cx: &Context<'_>, handler: &Handler) -> Option<Fix> {
    let field = handler.host()?;
    let edit = edit::remove_entry(cx.text, handler.at, field.key()?, field.at()?)?;
    Some(Fix::risky("delete `host`", vec![edit]))
}
