use std::net::IpAddr;

use super::handlers::{self, Site};
use super::{Context, Sink, words};
use crate::finding::Level;
use crate::fix::{Edit, Fix, edit};
use crate::model::{Action, Field, Header, Orchestrator, Origin};
use crate::span::Span;

/// What a `host` leads the kubelet to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Nothing: it is no host at all, such as a URL.
    Nothing,
    /// An address that is not the pod's.
    Address,
    /// The pod's own Service.
    OwnService,
    /// Another name of the cluster.
    Cluster,
    /// A name of the world outside.
    Outside,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // In Knative the queue proxy asks, from inside the pod.
    if cx.workload.orchestrator != Orchestrator::Kubernetes {
        return;
    }
    for site in handlers::sites(cx.workload) {
        let Some(Field::Value { value: host, key, at }) = site.handler.host() else { continue };
        let Some(target) = target(cx, host) else { continue };
        // Another workload of the cluster is a dependency, which has rules of its own. Of hooks they do not speak.
        if target == Target::Cluster && site.probe.is_some() {
            continue;
        }
        let who = site.who(cx.workload);
        let message = match target {
            Target::Nothing => format!("{who} has `{host}` as `host`, which is neither a name nor an address"),
            Target::OwnService => format!("{who} dials `{host}`, the Service in front of all replicas"),
            _ => format!("{who} dials `{host}` instead of the pod"),
        };
        let level = match target {
            Target::Nothing => Level::Error,
            // As a rule the name is not even found.
            Target::OwnService if site.probe.is_some() => Level::Error,
            // A hook may well have to tell somebody else.
            Target::Outside | Target::Address if site.probe.is_none() => Level::Advice,
            _ => Level::Warning,
        };
        let mut report = site
            .report(sink, "host", *at, message)
            .level(level)
            .why(why(&site, target, host))
            .help(help(&site, target, host));
        if site.probe.is_some() {
            report = report.fix(fix(cx, &site, target, *key, *at));
        }
        let _ = report;
    }
}

fn why(site: &Site<'_>, target: Target, host: &str) -> String {
    let Some(probe) = site.probe else {
        return match target {
            Target::Nothing => "no connection comes about, so the hook does nothing".to_owned(),
            Target::Cluster | Target::OwnService => {
                "the kubelet resolves the name on the node, where names of the cluster are not known as a rule"
                    .to_owned()
            }
            _ => {
                "the kubelet dials from the node's network, past the network policies and the DNS of the pod".to_owned()
            }
        };
    };
    let within = words::numbers(probe).map(|numbers| format!(" within {}", numbers.act_after_hang()));
    let fate = format!("{}{}", words::consequence(probe.orchestrator, probe.kind), within.unwrap_or_default());
    match target {
        Target::Nothing => "no connection comes about, whatever state the process is in".to_owned(),
        Target::Address => format!(
            "the answer of {host} says nothing about this container: its own hang goes unnoticed, and when {host} does \
             not answer, {fate}"
        ),
        Target::OwnService | Target::Cluster => format!(
            "the kubelet resolves the name on the node, where names of the cluster are not known as a rule; where they \
             are, any ready replica answers, so a hang goes unnoticed, and when none is left, {fate}"
        ),
        Target::Outside => format!(
            "the kubelet resolves the name on the node and dials what it finds, a load balancer in front of all \
             replicas perhaps: a hang of this container goes unnoticed, and when that address does not answer, {fate}"
        ),
    }
}

fn help(site: &Site<'_>, target: Target, host: &str) -> String {
    let Some(_) = site.probe else {
        return "leave `host` out if the pod itself is meant; to reach somebody else, use `exec`, which runs inside the \
                pod"
        .to_owned();
    };
    let headers = headers(site);
    match target {
        Target::Nothing => {
            "remove `host`: the pod's own address is the default; the scheme goes into `scheme`, a path \
                            into `path`"
                .to_owned()
        }
        Target::Outside | Target::OwnService if headers.is_some_and(has_host) => {
            "remove `host`: the pod's own address is the default, and the `Host` header is sent anyway".to_owned()
        }
        Target::Outside | Target::OwnService if headers.is_some() => format!(
            "remove `host`: the pod's own address is the default; if the server needs to hear `{host}`, send it as the \
             header `Host` in `httpHeaders`"
        ),
        _ => "remove `host`: the pod's own address is the default".to_owned(),
    }
}

/// Sends a name as the header that it was meant to be, and takes everything else out.
fn fix(cx: &Context<'_>, site: &Site<'_>, target: Target, key: Span, at: Span) -> Option<Fix> {
    let removed = || {
        let edit = edit::remove_entry(cx.text, site.handler.at, key, at)?;
        Some(Fix::risky("remove `host`", vec![edit]))
    };
    let Action::HttpGet(http) = &site.handler.action else { return removed() };
    match (target, &http.headers) {
        (Target::Nothing, _) => None,
        // A name written over several lines stays for a person to move.
        (Target::Outside, Field::Absent) if !at.text(cx.text).contains(['\n', '\r']) => {
            let quoted = |text| edit::quoted_like(cx.text, key, text);
            let header = format!(
                "{}: [{{{}: {}, {}: {}}}]",
                quoted("httpHeaders"),
                quoted("name"),
                quoted("Host"),
                quoted("value"),
                at.text(cx.text)
            );
            let edits: Vec<Edit> = vec![edit::replace(key.to(at), header)];
            Some(Fix::risky("send it as the header `Host`", edits))
        }
        (Target::Outside, _) if !headers(site).is_some_and(has_host) => None,
        _ => removed(),
    }
}

/// The headers of an HTTP handler; empty where none are written.
fn headers<'m>(site: &Site<'m>) -> Option<&'m [Header]> {
    match &site.handler.action {
        Action::HttpGet(http) => Some(http.headers.value().map_or(&[], Vec::as_slice)),
        _ => None,
    }
}

fn has_host(headers: &[Header]) -> bool {
    headers.iter().any(|header| header.name.value().is_some_and(|name| name.eq_ignore_ascii_case("host")))
}

/// Where a host leads to; `None` where that is the pod, the node, or not to be told.
fn target(cx: &Context<'_>, host: &str) -> Option<Target> {
    let name = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    if name.is_empty() || name.contains(['{', '$', '<', '%']) {
        return None;
    }
    let node_network =
        !matches!(cx.workload.host_network, Field::Absent | Field::Null { .. } | Field::Value { value: false, .. });
    if let Ok(address) = name.parse::<IpAddr>() {
        // Loopback is another rule's. In the node's network an address may be the node's own, and only a complete
        // object shows which network that is.
        let may_be_own = node_network || cx.workload.origin != Origin::Complete;
        let is_foreign = !address.is_loopback() && !address.is_unspecified() && !may_be_own;
        return is_foreign.then_some(Target::Address);
    }
    if name.contains(['/', ':', ' ', '?', '@']) {
        return Some(Target::Nothing);
    }
    let labels: Vec<&str> = name.split('.').collect();
    let is_loopback = labels.iter().any(|label| label.starts_with("localhost"))
        || matches!(name.as_str(), "ip6-localhost" | "ip6-loopback");
    let is_name = labels.iter().all(|label| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    });
    if is_loopback || !is_name {
        return None;
    }
    let first = labels.first().copied().unwrap_or_default();
    let namespace = labels.get(1).copied();
    let is_cluster_name = labels.len() == 1
        || labels.get(2..).is_some_and(|rest| rest.first() == Some(&"svc"))
        || labels.contains(&"svc")
        || name.ends_with(".cluster.local")
        || is_service(cx, first, namespace);
    if !is_cluster_name {
        return Some(Target::Outside);
    }
    let is_here = namespace.is_none_or(|namespace| namespace == "svc" || in_namespace(cx, namespace));
    let own_service = cx.workload.service_name.value().is_some_and(|service| service == first)
        || cx.workload.name.as_ref().is_some_and(|name| name.value == first)
        || cx.project.services_of(cx.source, cx.workload).iter().any(|(_, service)| service.name == first);
    Some(if is_here && own_service { Target::OwnService } else { Target::Cluster })
}

/// Whether the input has a Service of this name.
fn is_service(cx: &Context<'_>, name: &str, namespace: Option<&str>) -> bool {
    let mut services = cx.project.files().iter().flat_map(|file| &file.model.services);
    services.any(|service| {
        service.name == name
            && namespace.is_none_or(|namespace| service.namespace.is_empty() || service.namespace == namespace)
    })
}

/// Whether the workload is in a namespace; where it does not say, it may be.
fn in_namespace(cx: &Context<'_>, namespace: &str) -> bool {
    cx.workload.namespace.is_empty() || cx.workload.namespace == namespace
}
