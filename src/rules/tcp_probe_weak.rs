use super::{Context, Sink, ports, words};
use crate::model::{Action, Container, Handler, Orchestrator, Origin, Probe, ProbeKind};
use crate::span::Span;

/// What a port is known to speak.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaks {
    Http,
    Https,
    Grpc,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    if cx.workload.orchestrator != Orchestrator::Kubernetes {
        return;
    }
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        // At the start an open port is often all there is to wait for, if another probe asks more.
        let is_first_step = probe.kind == ProbeKind::Startup && container.probes.len() > 1;
        if !matches!(handler.action, Action::TcpSocket(_)) || is_first_step {
            continue;
        }
        let Some(asked) = ports::asked(container, handler) else { continue };
        // A name that leads nowhere is another rule's.
        if cx.workload.origin == Origin::Complete && asked.is_undefined(container) {
            continue;
        }
        let by_other =
            asked.number.and_then(|number| other_probe(container, probe, number)).map(|(speaks, other, at)| {
                let (kind, way) = (other.kind.word(), speaks.word());
                let clue =
                    format!("opens a connection and asks nothing, though the {kind} probe asks that port by {way}");
                (speaks, clue, Some((at, "the same port")))
            });
        let by_name = || {
            let (speaks, name) = asked.names().find_map(|name| Some((speaks(name)?, name)))?;
            match asked.name {
                Some(_) => Some((speaks, format!("opens a connection to port `{name}` and asks nothing"), None)),
                None => {
                    let clue =
                        format!("opens a connection and asks nothing, though port {} is named `{name}`", asked.words());
                    Some((speaks, clue, asked.declared.and_then(|port| port.name.at()).map(|at| (at, "named here"))))
                }
            }
        };
        let Some((speaks, clue, label)) = by_other.or_else(by_name) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let message = format!("{who} {clue}");
        let cannot = match probe.kind {
            ProbeKind::Readiness => {
                "the pod gets traffic before it can serve, and while it answers every request with an error"
            }
            _ => "a process that hangs, or answers every request with an error, is never restarted",
        };
        let port = asked.words().replace('`', "");
        let help = match speaks {
            Speaks::Http => format!("ask it: `httpGet: {{path: ..., port: {port}}}`"),
            Speaks::Https => format!("ask it: `httpGet: {{path: ..., port: {port}, scheme: HTTPS}}`"),
            Speaks::Grpc => {
                let number = asked.number.map_or_else(|| "...".to_owned(), |number| number.to_string());
                format!("ask it, if the server has the gRPC health service: `grpc: {{port: {number}}}`")
            }
        };
        let report = sink
            .probe(container, probe, "tcpSocket.port", asked.at, message)
            .why(format!(
                "the system accepts connections for a process that listens, whatever state it is in; {cannot}"
            ))
            .help(help);
        if let Some((span, text)) = label {
            let _ = report.label(span, text);
        }
    }
}

/// Another probe of the container that asks the same port in the server's own protocol.
fn other_probe<'m>(container: &'m Container, probe: &Probe, number: i128) -> Option<(Speaks, &'m Probe, Span)> {
    container.probes.iter().filter(|other| other.kind != probe.kind).find_map(|other| {
        let handler = other.handler()?;
        let speaks = protocol(handler)?;
        let asked = ports::asked(container, handler).filter(|asked| asked.number == Some(number))?;
        Some((speaks, other, asked.at))
    })
}

fn protocol(handler: &Handler) -> Option<Speaks> {
    match &handler.action {
        Action::HttpGet(http) if http.scheme.value().is_some_and(|scheme| scheme == "HTTPS") => Some(Speaks::Https),
        Action::HttpGet(_) => Some(Speaks::Http),
        Action::Grpc(_) => Some(Speaks::Grpc),
        _ => None,
    }
}

/// What the name of a port says of its protocol.
fn speaks(name: &str) -> Option<Speaks> {
    let words: Vec<&str> = name.split('-').collect();
    // A forward proxy is asked for somebody else's pages.
    if words.contains(&"proxy") {
        return None;
    }
    words.iter().find_map(|word| match *word {
        "http" | "http2" | "h2c" | "web" => Some(Speaks::Http),
        "https" => Some(Speaks::Https),
        "grpc" => Some(Speaks::Grpc),
        _ => None,
    })
}

impl Speaks {
    const fn word(self) -> &'static str {
        match self {
            Self::Http => "HTTP",
            Self::Https => "HTTPS",
            Self::Grpc => "gRPC",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Speaks, speaks};

    #[test]
    fn names_speak_by_whole_words() {
        assert!(speaks("http") == Some(Speaks::Http) && speaks("http-metrics") == Some(Speaks::Http));
        assert!(speaks("https") == Some(Speaks::Https) && speaks("tcp-grpc") == Some(Speaks::Grpc));
        assert!(speaks("http-proxy").is_none() && speaks("mysql").is_none() && speaks("webhook").is_none());
    }
}
