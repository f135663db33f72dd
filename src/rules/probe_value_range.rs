use super::{Context, Sink, words};
use crate::finding::Level;
use crate::model::{Action, Container, Field, Number, Port, Probe, ProbeKind, Timing};
use crate::span::Span;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        if !container.may_have_probes() {
            continue;
        }
        for timing in Timing::ALL {
            if let Some((&value, at)) = probe.timing(timing).spanned() {
                check_timing(cx, sink, container, probe, timing, value, at);
            }
        }
        if let (Field::Value { value, at, .. }, true) = (&probe.grace_period, probe.kind != ProbeKind::Readiness) {
            check_grace_period(cx, sink, container, probe, *value, *at);
        }
        // Validation looks into the first handler alone.
        let Some(handler) = probe.handlers.first() else { continue };
        let port = match &handler.action {
            Action::HttpGet(http) => number(&http.port),
            Action::TcpSocket(tcp) => number(&tcp.port),
            Action::Grpc(grpc) => grpc.port.spanned().map(|(&value, at)| (value, at)),
            _ => None,
        };
        if let Some((value, at)) = port.filter(|(value, _)| !(1..=65535).contains(value)) {
            let who = words::probe(cx.workload, container, probe);
            let field = format!("{}.port", handler.kind().field());
            let message = format!("{who} asks port {value}, but ports go from 1 to 65535");
            sink.probe(container, probe, &field, at, message)
                .why(words::refused(cx))
                .help("write the port that the container listens on, or its name");
        }
    }
}

fn number(port: &Field<Port>) -> Option<(Number, Span)> {
    match port.spanned()? {
        (Port::Number(value), at) => Some((*value, at)),
        _ => None,
    }
}

fn check_timing(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    timing: Timing,
    value: Number,
    at: Span,
) {
    let field = probe.timing_field(timing);
    let who = words::probe(cx.workload, container, probe);
    let default = timing.default(probe.orchestrator);
    if words::beyond_int32(value) {
        let message = format!("`{field}` of {who} is {value}, more than a 32-bit integer holds");
        sink.probe(container, probe, field, at, message)
            .why(words::refused(cx))
            .help("write at most 2147483647; a sensible value has at most four digits");
    } else if value < 0 {
        let help = match timing {
            Timing::InitialDelay => "write 0 or more seconds".to_owned(),
            _ => format!("write 1 or more, or leave the line out for the default of {default}"),
        };
        sink.probe(container, probe, field, at, format!("`{field}` of {who} is {value}, which is negative"))
            .why(words::refused(cx))
            .help(help);
    } else if value == 0 && timing != Timing::InitialDelay {
        let message = format!("`{field}: 0` of {who} does not mean zero but the default, {default}");
        sink.probe(container, probe, field, at, message)
            .level(Level::Advice)
            .why("the API server replaces 0 by the default before it validates the object")
            .help(format!("write {default}, or the number that is meant"));
    }
}

fn check_grace_period(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    value: Number,
    at: Span,
) {
    let field = "terminationGracePeriodSeconds";
    let who = words::probe(cx.workload, container, probe);
    let message = if i64::try_from(value).is_err() {
        format!("`{field}` of {who} is {value}, more than a 64-bit integer holds")
    } else if value <= 0 {
        format!("`{field}` of {who} is {value}, but must be at least 1")
    } else {
        return;
    };
    sink.probe(container, probe, field, at, message)
        .why(words::refused(cx))
        .help("write 1 or more seconds, or leave the line out: the pod's grace period then applies");
}
