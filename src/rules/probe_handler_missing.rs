use super::{Context, Sink, spelling, words};
use crate::model::{Action, Container, Handler, Orchestrator, Origin, Probe};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // A patch is merged into an object that has the handler; Knative fills in handler and port.
    if cx.workload.origin != Origin::Complete || cx.workload.orchestrator == Orchestrator::Knative {
        return;
    }
    for (container, probe) in cx.workload.probes() {
        if !container.may_have_probes() || probe.wrong.is_some() {
            continue;
        }
        match probe.handlers.as_slice() {
            [] => no_handler(cx, sink, container, probe),
            // Of several handlers, validation looks into the first alone; the others are one too many.
            [first, ..] => empty_handler(cx, sink, container, probe, first),
        }
    }
}

fn no_handler(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe) {
    if probe.keys.iter().any(spelling::hides_a_handler) {
        return;
    }
    let who = words::probe(cx.workload, container, probe);
    let mut report = sink
        .probe(container, probe, "", probe.key, format!("{who} has no handler, so there is nothing to run"))
        .why(words::refused(cx))
        .help("add one of `httpGet`, `tcpSocket`, `exec` or `grpc`, or delete the probe");
    for &null in &probe.null_handlers {
        report = report.label(null, "null counts as not there");
    }
}

fn empty_handler(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, handler: &Handler) {
    let needed = match &handler.action {
        Action::Exec(command) if command.is_default() || command.value().is_some_and(Vec::is_empty) => "command",
        Action::HttpGet(http) if http.port.is_default() => "port",
        Action::TcpSocket(tcp) if tcp.port.is_default() => "port",
        Action::Grpc(grpc) if grpc.port.is_default() => "port",
        _ => return,
    };
    // `ports`, `Port`, `cmd`: the misspelt key is the fault.
    if handler.keys.iter().any(|key| !key.known && spelling::guess(&key.name, &["command", "port"]).is_some()) {
        return;
    }
    let name = handler.kind().field();
    let who = words::probe(cx.workload, container, probe);
    let at = written(handler, needed).unwrap_or(handler.key);
    let example = match needed {
        "command" => "name the command to run, as a list of words: `command: [/app/check]`",
        _ => "name the port that the container listens on; there is no default",
    };
    sink.probe(container, probe, &format!("{name}.{needed}"), at, format!("`{name}` of {who} has no `{needed}`"))
        .why(words::refused(cx))
        .help(example);
}

/// Where an empty or null value stands, if it is written.
fn written(handler: &Handler, needed: &str) -> Option<crate::span::Span> {
    handler.keys.iter().find(|key| key.name == needed).map(|key| key.at)
}
