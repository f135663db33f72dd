use super::exec::{self, Command};
use super::{Context, Sink, words};
use crate::finding::{Confidence, Level};
use crate::knowledge::{self, EndpointKind};
use crate::model::{Action, Container, EnvSource, Field, Handler, Probe, ProbeKind};
use crate::shell::{About, Call, Peer, Target};
use crate::span::Span;

/// What a probe was found to ask besides its own process.
struct Question {
    /// "asks `orders-db` with `pg_isready`"
    asks: String,
    /// Who must not fail: "`orders-db`", "the broker".
    other: String,
    at: Span,
    field: String,
    confidence: Confidence,
    help: Option<String>,
    label: Option<(Span, String)>,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        if probe.kind == ProbeKind::Readiness || !container.may_have_probes() {
            continue;
        }
        let Some(handler) = probe.handler() else { continue };
        let mut questions = Vec::new();
        questions.extend(host(cx, handler));
        questions.extend(endpoint(container, probe, handler));
        if let Some(command) = exec::read(handler) {
            questions.extend(clients(cx, container, probe, &command));
        }
        // One fault, one finding: a command that asks the same one twice is told once.
        questions.sort_by_key(|question| question.at);
        questions.dedup_by(|a, b| a.other == b.other || a.at == b.at);
        for question in questions {
            report(cx, sink, container, probe, question);
        }
    }
}

fn report(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, question: Question) {
    let who = words::probe(cx.workload, container, probe);
    let other = &question.other;
    let within = match words::numbers(probe) {
        Some(numbers) => format!("within {}", numbers.act_after_hang()),
        None => "soon".to_owned(),
    };
    let replicas = match cx.workload.replicas.value() {
        Some(&replicas) if replicas > 1 => format!("all {replicas} replicas are"),
        Some(1) => "the only replica is".to_owned(),
        _ => "every replica is".to_owned(),
    };
    let why = match probe.kind {
        ProbeKind::Startup => {
            format!("while {other} does not answer, no start succeeds: {replicas} restarted {within}, again and again")
        }
        _ => format!(
            "when {other} fails, {replicas} restarted {within}, and again after each start, though nothing is wrong \
             with them; a restart mends nothing there"
        ),
    };
    let help = question.help.unwrap_or_else(|| {
        "ask only whether the process itself is stuck; a dependency belongs into readiness, if anywhere".to_owned()
    });
    let mut report = sink
        .probe(container, probe, &question.field, question.at, format!("{who} {}", question.asks))
        .why(why)
        .help(help)
        .confidence(question.confidence);
    if question.confidence == Confidence::Low {
        report = report.level(Level::Advice);
    }
    if let Some((span, text)) = question.label {
        let _ = report.label(span, text);
    }
}

/// A `host` that is neither the pod nor the node.
fn host(cx: &Context<'_>, handler: &Handler) -> Option<Question> {
    let (host, at) = handler.host()?.spanned()?;
    let node_network = !matches!(cx.workload.host_network, Field::Absent | Field::Value { value: false, .. });
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    // Loopback is another rule's; an address in the node's network may be the node's own.
    let is_self = match address {
        Ok(address) => address.is_loopback() || address.is_unspecified() || node_network,
        Err(_) => host.eq_ignore_ascii_case("localhost") || host.is_empty(),
    };
    if is_self {
        return None;
    }
    let field = format!("{}.host", handler.kind().field());
    Some(Question {
        asks: format!("asks `{host}`, another host"),
        other: format!("`{host}`"),
        at,
        field,
        confidence: Confidence::High,
        help: Some(
            "remove `host`: the pod's own address is the default; for a virtual host set the `Host` header in \
             `httpHeaders`"
                .to_owned(),
        ),
        label: None,
    })
}

/// A path that is known to join other checks, or that names a dependency.
fn endpoint(container: &Container, probe: &Probe, handler: &Handler) -> Option<Question> {
    let Action::HttpGet(http) = &handler.action else { return None };
    let (path, at) = http.path.spanned()?;
    let image = container.image.value().map(String::as_str);
    let endpoint = knowledge::endpoint(path, image)?;
    Some(Question {
        field: format!("{}.path", probe.handler_field(handler.kind())),
        at,
        ..path_question(path, at, endpoint)
    })
}

fn path_question(path: &str, at: Span, endpoint: &knowledge::Endpoint) -> Question {
    let other = match endpoint.kind {
        EndpointKind::Aggregate => "one of them".to_owned(),
        EndpointKind::Dependency => "the dependency".to_owned(),
        EndpointKind::Cluster => "another member of the cluster".to_owned(),
        EndpointKind::State => "this check".to_owned(),
    };
    let base = path.split('?').next().unwrap_or(path).trim_end_matches('/');
    let instead = endpoint.instead.as_deref().map(|instead| match instead {
        "/" => "`/`".to_owned(),
        query if query.starts_with('?') => format!("`{base}{query}`"),
        suffix => format!("`{base}{suffix}`"),
    });
    Question {
        asks: format!("asks `{path}`, an endpoint that asks {}", endpoint.asks),
        other,
        at,
        field: String::new(),
        confidence: if endpoint.is_convention { Confidence::Low } else { Confidence::Medium },
        help: instead
            .map(|instead| format!("ask {instead} instead, which is about the process alone ({})", endpoint.framework)),
        label: None,
    }
}

/// Clients in the command that talk to somebody else, or ask about more than the process at hand.
fn clients(cx: &Context<'_>, container: &Container, probe: &Probe, command: &Command<'_>) -> Vec<Question> {
    let mut questions = Vec::new();
    for call in command.exec.calls(knowledge::clients()) {
        if !command.decides(call.id) {
            continue;
        }
        let program = call.run.program().unwrap_or_default().into_owned();
        for target in call.targets() {
            questions.extend(target_question(cx, container, command, &program, &target));
            if let Some(path) = &target.path
                && let Some(endpoint) = knowledge::endpoint(path, container.image.value().map(String::as_str))
            {
                let at = command.span(target.place);
                questions.push(Question { field: "exec.command".to_owned(), ..path_question(path, at, endpoint) });
            }
        }
        if questions.is_empty() {
            questions.extend(asks(probe, command, &call, &program));
        }
    }
    for run in command.exec.runs() {
        for target in command.exec.device_targets(run) {
            questions.extend(target_question(cx, container, command, "/dev/tcp", &target));
        }
    }
    questions
}

/// A command that asks a broker or a whole cluster even when it is put to the process at hand.
fn asks(probe: &Probe, command: &Command<'_>, call: &Call<'_>, program: &str) -> Option<Question> {
    let ask = call.asks().into_iter().next()?;
    let (what, other) = match ask.about {
        About::Broker => ("goes through the broker", "the broker"),
        About::Cluster => ("asks about the whole cluster", "another member of the cluster"),
        // A start may well wait for a role or a state.
        About::Role | About::State if probe.kind == ProbeKind::Startup => return None,
        About::Role => ("asks for a role in the cluster", "the role"),
        About::State => ("asks for a state that a restart does not change", "this check"),
    };
    let place = call.run.program_word().map_or(call.run.place, |word| word.place);
    Some(Question {
        asks: format!("runs `{program}`, which {what}"),
        other: other.to_owned(),
        at: command.span(place),
        field: "exec.command".to_owned(),
        confidence: Confidence::Medium,
        help: None,
        label: None,
    })
}

/// Somebody else at the other end of a client.
fn target_question(
    cx: &Context<'_>,
    container: &Container,
    command: &Command<'_>,
    program: &str,
    target: &Target,
) -> Option<Question> {
    let at = command.span(target.place);
    let found = |host: &str, confidence, label| Question {
        asks: format!("asks `{host}` with `{program}`"),
        other: format!("`{host}`"),
        at,
        field: "exec.command".to_owned(),
        confidence,
        help: None,
        label,
    };
    match &target.peer {
        Peer::Name(name) if is_other(cx, name) => Some(found(name, Confidence::High, None)),
        Peer::Variables(variables) => {
            let [variable] = variables.as_slice() else { return None };
            match lookup(cx, container, &variable.name) {
                Lookup::Value(value, place) => {
                    let host = if target.may_be_no_address { host_of_connection(&value)? } else { host_of(&value) };
                    let label = Some((place, format!("`${}` is set here", variable.name)));
                    is_other(cx, host).then(|| found(host, Confidence::High, label))
                }
                // `$DATABASE` may be the name of a database on the local server.
                _ if target.may_be_no_address && !names_a_url(&variable.name) => None,
                Lookup::Own => None,
                Lookup::Elsewhere(place) => {
                    let label = Some((place, "the value is kept outside the manifest".to_owned()));
                    Some(found(&format!("${}", variable.name), Confidence::Medium, label))
                }
                Lookup::NotDeclared => match variable.default.as_deref() {
                    Some(Peer::Name(name)) if is_other(cx, name) => Some(found(name, Confidence::Medium, None)),
                    Some(_) => None,
                    None => {
                        // An image may well set it to the local host.
                        let name = &variable.name;
                        let is_host = name.ends_with("HOST") || name.ends_with("ADDR") || names_a_url(name);
                        is_host.then(|| found(&format!("${}", variable.name), Confidence::Low, None))
                    }
                },
            }
        }
        Peer::Default(variables) => variables.iter().find_map(|name| match lookup(cx, container, name) {
            Lookup::Value(value, place) => {
                let host = host_of(&value);
                let label = Some((place, format!("`{program}` takes its default from `{name}`")));
                is_other(cx, host).then(|| found(host, Confidence::High, label))
            }
            _ => None,
        }),
        _ => None,
    }
}

/// Where the value of a variable of the container comes from.
enum Lookup {
    /// Known, and where it is set.
    Value(String, Span),
    /// The pod's own name or address.
    Own,
    /// A Secret or a ConfigMap that is not at hand; where it is named.
    Elsewhere(Span),
    /// Not in `env`.
    NotDeclared,
}

fn lookup(cx: &Context<'_>, container: &Container, name: &str) -> Lookup {
    let Some(variable) = container.env.iter().rev().find(|variable| variable.name == name) else {
        return Lookup::NotDeclared;
    };
    match &variable.source {
        EnvSource::Literal(value) if value.contains("$(") => Lookup::Own,
        EnvSource::Literal(value) => Lookup::Value(value.clone(), variable.at),
        EnvSource::Pod(_) => Lookup::Own,
        EnvSource::ConfigMap(map, key) => {
            let map = cx.project.config_map(&cx.workload.namespace, map);
            match map.and_then(|map| map.data.iter().find(|(name, _)| name == key)) {
                Some((_, value)) => Lookup::Value(value.trim().to_owned(), variable.at),
                None => Lookup::Elsewhere(variable.at),
            }
        }
        EnvSource::Unknown => Lookup::Elsewhere(variable.at),
    }
}

/// The host in a value: of a URL, of `host:port`, or the value itself.
fn host_of(value: &str) -> &str {
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let authority = rest.split(['/', ',', '?']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

/// The host in a connection string, `scheme://...` or `host=... port=...`; `None` when it names none.
fn host_of_connection(value: &str) -> Option<&str> {
    if value.contains("://") {
        return Some(host_of(value));
    }
    value.split([' ', ';']).find_map(|pair| pair.strip_prefix("host="))
}

/// Whether a variable is called after a URL.
fn names_a_url(name: &str) -> bool {
    ["URL", "URI", "DSN"].iter().any(|word| name.ends_with(word))
}

/// Whether a host is somebody else: no loopback or socket, not the workload itself under its own name or its Service's.
fn is_other(cx: &Context<'_>, host: &str) -> bool {
    let is_loopback = host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified());
    if host.is_empty() || is_loopback || host.starts_with('/') || host.contains("{{") {
        return false;
    }
    let first = host.split('.').next().unwrap_or_default();
    let is_own_name = cx.workload.name.as_ref().is_some_and(|name| {
        first == name.value
            || first.strip_prefix(name.value.as_str()).is_some_and(|rest| {
                rest.strip_prefix('-')
                    .is_some_and(|ordinal| !ordinal.is_empty() && ordinal.bytes().all(|byte| byte.is_ascii_digit()))
            })
    });
    let is_own_service = cx.workload.service_name.value().is_some_and(|service| service == first)
        || cx.project.services_of(cx.source, cx.workload).iter().any(|(_, service)| service.name == first);
    !is_own_name && !is_own_service
}

#[cfg(test)]
mod tests {
    use super::{host_of, host_of_connection};

    #[test]
    fn the_host_of_a_value_is_found_in_urls_and_addresses() {
        assert_eq!(host_of("postgres://u:p@db.shop:5432/x?y"), "db.shop");
        assert_eq!(host_of("cache:6379"), "cache");
        assert_eq!(host_of("[::1]:80"), "::1");
        assert_eq!(host_of("db"), "db");
        assert_eq!(host_of_connection("dbname=x host=db.shop port=5432"), Some("db.shop"));
        assert_eq!(host_of_connection("orders"), None);
    }
}
