use super::{Context, Sink, edits, words};
use crate::finding::Level;
use crate::model::{Action, Container, Field, Handler, HandlerKind, Orchestrator, Port, ProbeKind};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Their pods get no traffic, so readiness has nothing to lose.
    if cx.workload.runs_to_completion() {
        return;
    }
    for container in &cx.workload.containers {
        let (Some(liveness), Some(readiness)) =
            (container.probe(ProbeKind::Liveness), container.probe(ProbeKind::Readiness))
        else {
            continue;
        };
        let (Some(same), Some(other)) = (liveness.handler(), readiness.handler()) else { continue };
        if !container.may_have_probes() || !asks_the_same(container, same, other) {
            continue;
        }
        let (Some(kill), Some(removal)) = (words::numbers(liveness), words::numbers(readiness)) else { continue };
        let (kill_window, removal_window) = (kill.act_after_hang(), removal.act_after_hang());
        let patient = kill_window.earliest > removal_window.earliest;
        let owner = words::owner(cx.workload, container);
        let message = format!("the liveness and readiness probes of {owner} are the same check");
        // An open port says little about either question, so the overlap matters less.
        let is_weak = patient || same.kind() == HandlerKind::TcpSocket;
        // Tye's words for the same things.
        let (what, whole, traffic) = match liveness.orchestrator {
            Orchestrator::Tye => ("replica", "replica", "traffic"),
            _ => ("container", "pod", "its Services"),
        };
        let why = if patient {
            format!(
                "a hang takes the {whole} out of {traffic} after {removal_window} and restarts the {what} after \
                 {kill_window}: readiness acts first, but whatever makes it unready long enough also restarts it"
            )
        } else {
            format!(
                "a hang restarts the {what} after {kill_window}, no later than it takes the {whole} out of {traffic} \
                 ({removal_window}): readiness never gets to drain it, and what should only stop traffic for a while \
                 restarts it"
            )
        };
        let mut report = sink
            .probe(container, liveness, "", same.key, message)
            // Through an alias both are one place; the alias tells them apart.
            .label(readiness.alias.unwrap_or(other.key), "the readiness probe asks the same")
            .why(why)
            .help(
                "let liveness ask only whether the process itself is stuck, or make it much more patient than readiness \
                 with a higher `failureThreshold`",
            );
        if is_weak {
            report = report.level(Level::Advice);
        } else {
            report =
                report.fix(edits::set_failures(cx.text, liveness, words::calm_failures(cx.workload, container, kill)));
        }
        let _ = report;
    }
}

/// Whether two handlers send the same question to the same place.
fn asks_the_same(container: &Container, a: &Handler, b: &Handler) -> bool {
    match (&a.action, &b.action) {
        (Action::HttpGet(a), Action::HttpGet(b)) => {
            same_port(container, &a.port, &b.port)
                && text(&a.path, "/") == text(&b.path, "/")
                && text(&a.path, "/").is_some()
                && text(&a.scheme, "HTTP") == text(&b.scheme, "HTTP")
                && text(&a.host, "") == text(&b.host, "")
                && header_values(&a.headers) == header_values(&b.headers)
        }
        (Action::TcpSocket(a), Action::TcpSocket(b)) => {
            same_port(container, &a.port, &b.port) && text(&a.host, "") == text(&b.host, "")
        }
        (Action::Exec(a), Action::Exec(b)) => match (a.value(), b.value()) {
            (Some(a), Some(b)) => !a.is_empty() && a.iter().map(|arg| &arg.text).eq(b.iter().map(|arg| &arg.text)),
            _ => false,
        },
        (Action::Grpc(a), Action::Grpc(b)) => {
            a.port.value().is_some() && a.port.value() == b.port.value() && text(&a.service, "") == text(&b.service, "")
        }
        _ => false,
    }
}

/// A text with its default, without a slash at its end; `None` when it cannot be known.
fn text<'f>(field: &'f Field<String>, default: &'f str) -> Option<&'f str> {
    match field {
        Field::Absent | Field::Null { .. } => Some(default),
        Field::Value { value, .. } if value.len() > 1 => Some(value.trim_end_matches('/')),
        Field::Value { value, .. } if value.is_empty() => Some(default),
        Field::Value { value, .. } => Some(value),
        Field::Wrong { .. } | Field::Templated { .. } => None,
    }
}

fn header_values(headers: &Field<Vec<crate::model::Header>>) -> Vec<(Option<&String>, Option<&String>)> {
    headers.value().into_iter().flatten().map(|header| (header.name.value(), header.value.value())).collect()
}

/// Whether two ports are the same number in the end; a name is looked up in the container.
fn same_port(container: &Container, a: &Field<Port>, b: &Field<Port>) -> bool {
    let resolve = |port: &Field<Port>| match port.value()? {
        Port::Number(number) => Some((Some(*number), String::new())),
        Port::Name(name) => {
            let declared = container.ports.iter().find(|port| port.name.value().is_some_and(|known| known == name));
            match declared.and_then(|port| port.number.value()) {
                Some(number) => Some((Some(*number), String::new())),
                None => Some((None, name.clone())),
            }
        }
    };
    match (a, b) {
        (Field::Absent, Field::Absent) => true,
        _ => resolve(a).is_some() && resolve(a) == resolve(b),
    }
}
