use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Field, Origin};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // In the node's own network the node's loopback is meant. A patch or a loose block does not tell.
    let node_network = matches!(cx.workload.host_network, Field::Value { value: true, .. } | Field::Templated { .. });
    if node_network || cx.workload.origin != Origin::Complete {
        return;
    }
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handlers.first() else { continue };
        let Some(Field::Value { value: host, key, at }) = handler.host() else { continue };
        if !container.may_have_probes() || !is_loopback(host) {
            continue;
        }
        let name = handler.kind().field();
        let who = words::probe(cx.workload, container, probe);
        let message = format!("{who} dials `{host}`, which is the loopback of the node, not of the pod");
        let removed = edit::remove_entry(cx.text, handler.at, *key, *at);
        let fate = match words::numbers(probe) {
            Some(numbers) => {
                let window = match probe.kind {
                    crate::model::ProbeKind::Readiness => None,
                    _ => Some(numbers.act_after_start()),
                };
                window.map_or_else(
                    || "nothing on the node answers there, so the pod never becomes ready".to_owned(),
                    |window| format!("nothing on the node answers there, so the container is restarted within {window} of each start"),
                )
            }
            None => "nothing on the node answers there".to_owned(),
        };
        sink.probe(container, probe, &format!("{name}.host"), *at, message)
            .why(format!("the kubelet connects from the node's network; {fate}"))
            .help("remove `host`: the pod's own address is the default; if the server listens on loopback only, use `exec`")
            .fix(removed.map(|edit| Fix::risky("remove `host`", vec![edit])));
    }
}

/// Addresses that lead the kubelet to the node itself.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}
