use super::dependency::{self, Clue};
use super::exec;
use super::{Context, Sink, coverage, rollout, words};
use crate::knowledge;
use crate::model::{Probe, ProbeKind, Service};
use crate::shell::{Output, Peer};
use crate::span::{SourceId, Span};

/// What a pod cannot have before others run.
struct Need {
    asks: String,
    field: String,
    at: Span,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    let in_order = workload.pod_management_policy.value().is_none_or(|policy| policy == "OrderedReady");
    if workload.kind != "StatefulSet" || !coverage::is_complete(workload) || !in_order || rollout::count(cx).is_single()
    {
        return;
    }
    let governing = governing(cx);
    // Members that find each other before they are ready may become ready together.
    if governing.is_some_and(|(_, service)| service.publish_not_ready_addresses) {
        return;
    }
    for (container, probe) in workload.probes().filter(|(_, probe)| probe.kind == ProbeKind::Readiness) {
        let of_cluster = dependency::questions(cx, container, probe)
            .into_iter()
            .filter(|_| !searches_answer(probe))
            .find(|question| matches!(question.clue, Clue::Quorum | Clue::Cluster { own: false }))
            .map(|question| Need { asks: question.asks, field: question.field, at: question.at });
        let Some(need) = of_cluster.or_else(|| peer(cx, probe)) else { continue };
        let who = words::probe(workload, container, probe);
        let mut report = sink
            .probe(
                container,
                probe,
                &need.field,
                need.at,
                format!("{who} {}, but its pods start one after another", need.asks),
            )
            .why(
                "pod 1 is started when pod 0 is ready, and pod 0 is ready when the others are there: after a first \
                 start, or when all pods were lost, nothing goes on until somebody steps in",
            )
            .help(
                "set `podManagementPolicy: Parallel`, or `publishNotReadyAddresses: true` on the headless Service and \
                 ask this member alone",
            );
        if let Some(at) = workload.pod_management_policy.at() {
            report = report.label(at, "one after another");
        }
        if let Some((source, service)) = governing {
            report.label_in(source, service.at, "it names only pods that are ready");
        }
    }
}

/// Whether the answer of a client goes through a search: `nodetool status | grep UN` passes on one line of many.
fn searches_answer(probe: &Probe) -> bool {
    let Some(command) = probe.handler().and_then(exec::read) else { return false };
    command.exec.calls(knowledge::clients()).iter().any(|call| matches!(call.run.output, Output::Pipe(_)))
}

/// The Service under whose name the pods find each other.
fn governing<'a>(cx: &Context<'a>) -> Option<(SourceId, &'a Service)> {
    let name = cx.workload.service_name.value()?;
    cx.project.services_of(cx.source, cx.workload).into_iter().find(|(_, service)| service.name == *name)
}

/// A client that asks another pod of the set by its name: `shop-1`, `shop-0.shop`.
fn peer(cx: &Context<'_>, probe: &Probe) -> Option<Need> {
    let set = &cx.workload.name.as_ref()?.value;
    let command = exec::read(probe.handler()?)?;
    for call in command.exec.calls(knowledge::clients()) {
        if !command.decides(call.id) {
            continue;
        }
        for target in call.targets() {
            let Peer::Name(host) = &target.peer else { continue };
            let first = host.split('.').next().unwrap_or_default();
            let ordinal = first.strip_prefix(set.as_str()).and_then(|rest| rest.strip_prefix('-'));
            // Pod 0 may well be asked: it is there first.
            if ordinal.is_some_and(|ordinal| ordinal.parse::<u32>().is_ok_and(|ordinal| ordinal > 0)) {
                return Some(Need {
                    asks: format!("asks `{host}`, another pod of the set"),
                    field: "exec.command".to_owned(),
                    at: command.span(target.place),
                });
            }
        }
    }
    None
}
