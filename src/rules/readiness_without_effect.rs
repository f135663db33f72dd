use super::{Context, Sink, coverage, words};
use crate::model::ProbeKind;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    let probes = workload.probes().filter(|(_, probe)| probe.kind == ProbeKind::Readiness);
    let probes: Vec<_> = probes.filter(|(container, _)| container.may_have_probes()).collect();
    if probes.is_empty() || !coverage::is_complete(workload) {
        return;
    }
    let services = cx.project.services_of(cx.source, workload);
    if workload.runs_to_completion() && services.is_empty() {
        for (container, probe) in probes {
            let who = words::probe(workload, container, probe);
            sink.probe(
                container,
                probe,
                "",
                probe.key,
                format!("{who} decides nothing: the pods of a {} get no traffic", workload.kind),
            )
            .why(
                "readiness decides whether Services send requests and whether a rollout goes on; a pod that runs \
                     to its end has neither, and is done when its process ends well",
            )
            .help("leave it out, unless somebody reads the number of ready pods in `status.ready` of the Job");
        }
        return;
    }
    // Where pods start one after another, each one waits for the readiness of the one before.
    let in_order =
        workload.kind == "StatefulSet" && workload.pod_management_policy.value().is_none_or(|it| it == "OrderedReady");
    let all_publish = !services.is_empty() && services.iter().all(|(_, service)| service.publish_not_ready_addresses);
    if !all_publish || in_order {
        return;
    }
    let Some((source, service)) = services.first() else { return };
    for (container, probe) in probes {
        let who = words::probe(workload, container, probe);
        let name = &service.name;
        sink.probe(container, probe, "", probe.key, format!("{who} takes no pod out of Service `{name}`"))
            .label_in(*source, service.at, "it has `publishNotReadyAddresses: true`")
            .why(
                "a Service with `publishNotReadyAddresses: true` sends requests to all its pods, ready or not: then \
                 readiness only decides how fast a rollout goes on",
            )
            .help(
                "send the traffic through another Service without `publishNotReadyAddresses`, and keep this one for \
                 members that look for each other",
            );
    }
}
