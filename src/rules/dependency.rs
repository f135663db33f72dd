//! What a probe asks of others: hosts, endpoints and clients. The rules about dependencies judge what is found here; a
//! further source of such questions, such as the settings of a framework, is one more line in [`questions`].

use super::Context;
use super::environment::{Lookup, host_of, host_of_connection, lookup, names_a_url};
use super::exec::{self, Command};
use super::spring::{self, Settings, health};
use crate::finding::Confidence;
use crate::knowledge::{self, EndpointKind};
use crate::model::{Action, Container, EnvSource, Handler, Probe, ProbeKind};
use crate::shell::{About, Call, Kind, Peer, Target};
use crate::span::{SourceId, Span};

/// What a probe was found to ask besides its own process.
#[derive(Debug)]
pub(super) struct Question {
    /// Continues "the readiness probe": "asks `orders-db` with `pg_isready`".
    pub(super) asks: String,
    /// Who must not fail: "`orders-db`", "the broker".
    pub(super) other: String,
    /// What gave it away.
    pub(super) clue: Clue,
    /// What to underline.
    pub(super) at: Span,
    /// Path of that place inside the probe.
    pub(super) field: String,
    /// How surely it is asked.
    pub(super) confidence: Confidence,
    /// What to write instead in this kind of probe, where more is known than the rule can say.
    pub(super) help: Option<String>,
    /// Other places that make the case.
    pub(super) labels: Vec<(SourceId, Span, String)>,
}

/// What gives a question away, and with it on whom the answer depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clue {
    /// `host` of the handler.
    Host,
    /// A client with the address of another host, or a path that names a dependency.
    Named,
    /// An endpoint that joins checks which the application registers. `has_ready`: the framework documents another one
    /// for readiness, which leaves them out.
    Aggregate {
        /// Whether there is such an endpoint.
        has_ready: bool,
    },
    /// A broker or store through which the process at hand is asked, or, unless `own`, any of its kind.
    Broker {
        /// Whether the process at hand is named.
        own: bool,
    },
    /// The other members of a cluster; `own` when the answer is searched for the process at hand.
    Cluster {
        /// Whether the process at hand is named.
        own: bool,
    },
    /// Whether most members agree, without which none serves.
    Quorum,
    /// Which part this member plays.
    Role,
    /// Whether this member leads. `by_lease`: another process of the same workload may hold the lease.
    Leader {
        /// Whether that goes by a lease.
        by_lease: bool,
    },
    /// A state of this process that a restart does not mend.
    State,
}

/// Everything that a probe asks of others, in the order of the text, each one once.
pub(super) fn questions(cx: &Context<'_>, container: &Container, probe: &Probe) -> Vec<Question> {
    let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { return Vec::new() };
    let mut questions = Vec::new();
    questions.extend(host(cx, handler));
    let settings = health::path(handler).map(|_| spring::settings(cx, container)).unwrap_or_default();
    match indicators(probe, handler, &settings) {
        Some(question) => questions.push(question),
        None => {
            // With the indicators of the libraries switched off, the whole endpoint asks nobody.
            let is_harmless =
                |question: &Question| matches!(question.clue, Clue::Aggregate { .. }) && health::is_bare(&settings);
            questions.extend(endpoint(container, probe, handler).filter(|question| !is_harmless(question)));
        }
    }
    if let Some(command) = exec::read(handler) {
        questions.extend(clients(cx, container, probe, &command));
        questions.extend(leader_words(&command));
    }
    // One fault, one finding: a command that asks the same one twice is told once.
    questions.sort_by_key(|question| question.at);
    questions.dedup_by(|a, b| a.other == b.other || a.at == b.at);
    questions
}

/// A `host` that is a name of the cluster: a Service, or a name without a dot. Addresses and public names are not asked
/// for as a dependency.
fn host(cx: &Context<'_>, handler: &Handler) -> Option<Question> {
    let (host, at) = handler.host()?.spanned()?;
    if !is_cluster_name(cx, host) {
        return None;
    }
    let first = host.split('.').next().unwrap_or_default();
    let asks = if is_own_service(cx, first) {
        format!("asks `{host}`, a Service, and so whichever pod answers there")
    } else {
        format!("asks `{host}`, another host")
    };
    Some(Question {
        asks,
        other: format!("`{host}`"),
        clue: Clue::Host,
        at,
        field: format!("{}.host", handler.kind().field()),
        confidence: Confidence::High,
        help: Some(
            "remove `host`: the pod's own address is the default; for a virtual host set the `Host` header in \
             `httpHeaders`"
                .to_owned(),
        ),
        labels: Vec::new(),
    })
}

/// Whether a host is a name that only the cluster knows: without a dot, below `svc` or `cluster.local`, or a Service of
/// the input with its namespace.
pub(super) fn is_cluster_name(cx: &Context<'_>, host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
    if host.is_empty() || host == "localhost" || !is_name || host.parse::<std::net::IpAddr>().is_ok() {
        return false;
    }
    match host.split('.').collect::<Vec<_>>().as_slice() {
        // A bare number is an old spelling of an address.
        [only] => !only.bytes().all(|byte| byte.is_ascii_digit()),
        [name, namespace] => {
            *namespace == cx.workload.namespace
                || cx.project.has_service(name, namespace)
                || ["svc", "default"].contains(namespace)
        }
        [_, _, "svc", ..] => true,
        [.., "svc"] | [.., "cluster", "local"] => true,
        _ => false,
    }
}

/// What the settings of a Spring Boot application put into the health group that the probe asks.
fn indicators(probe: &Probe, handler: &Handler, settings: &Settings) -> Option<Question> {
    let Action::HttpGet(http) = &handler.action else { return None };
    let (_, at) = http.path.spanned()?;
    let path = health::path(handler)?;
    let group = health::group(settings, path)?;
    let list = format!("management.endpoint.health.group.{}.include", group.name);
    let (asks, other, clue, out, places) = match (group.every, group.indicators.as_slice()) {
        (Some(setting), _) => (
            "every health indicator of the application".to_owned(),
            "one of them",
            Clue::Aggregate { has_ready: true },
            "`*`".to_owned(),
            vec![setting],
        ),
        (None, []) => return None,
        (None, found) => {
            let names = found.iter().map(|(name, ..)| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
            let other = if let [(_, asked, _)] = found { asked } else { "one of them" };
            let mut places: Vec<_> = found.iter().map(|(.., setting)| *setting).collect();
            places.dedup_by_key(|setting| (setting.source, setting.at));
            (names.clone(), other, Clue::Named, names, places)
        }
    };
    let is_sure = clue == Clue::Named && !settings.may_be_overridden();
    Some(Question {
        asks: format!("asks `{path}`, and the settings put {asks} into the group `{}`", group.name),
        other: other.to_owned(),
        clue,
        at,
        field: format!("{}.path", probe.handler_field(handler.kind())),
        confidence: if is_sure { Confidence::High } else { Confidence::Medium },
        help: Some(match probe.kind {
            ProbeKind::Readiness => {
                format!("take {out} out of `{list}`, unless no request can do without what is asked there")
            }
            _ => format!("take {out} out of `{list}`"),
        }),
        labels: places.into_iter().map(|setting| (setting.source, setting.at, "set here".to_owned())).collect(),
    })
}

/// A path that is known to join other checks, that names a dependency, or that only the leader passes.
fn endpoint(container: &Container, probe: &Probe, handler: &Handler) -> Option<Question> {
    let Action::HttpGet(http) = &handler.action else { return None };
    let (path, at) = http.path.spanned()?;
    let field = format!("{}.path", probe.handler_field(handler.kind()));
    path_question(container, probe, path, at, field)
}

fn path_question(container: &Container, probe: &Probe, path: &str, at: Span, field: String) -> Option<Question> {
    let image = container.image.value().map(String::as_str);
    if let Some(endpoint) = knowledge::endpoint(path, image) {
        return Some(endpoint_question(probe, path, at, field, endpoint));
    }
    knowledge::leader_path(path)?;
    Some(leader(format!("asks `{path}`, which by its name only the leader answers with success"), at, field))
}

fn endpoint_question(probe: &Probe, path: &str, at: Span, field: String, endpoint: &knowledge::Endpoint) -> Question {
    let (other, clue) = match endpoint.kind {
        EndpointKind::Aggregate => ("one of them", Clue::Aggregate { has_ready: endpoint.ready.is_some() }),
        EndpointKind::Dependency => ("the dependency", Clue::Named),
        EndpointKind::Cluster => ("another member of the cluster", Clue::Cluster { own: false }),
        EndpointKind::Quorum => ("the quorum of the cluster", Clue::Quorum),
        EndpointKind::State => ("this check", Clue::State),
    };
    let base = path.split('?').next().unwrap_or(path).trim_end_matches('/');
    let instead = |instead: &str| match instead {
        "/" => "`/`".to_owned(),
        query if query.starts_with('?') => format!("`{base}{query}`"),
        suffix => format!("`{base}{suffix}`"),
    };
    let framework = &endpoint.framework;
    let help = match (probe.kind, &endpoint.ready, &endpoint.instead) {
        (ProbeKind::Readiness, Some(ready), _) => Some(format!(
            "ask {} instead, which leaves them out unless the application adds them to it ({framework})",
            instead(ready)
        )),
        // What asks the process alone is no answer to whether an application is ready, but a member of a cluster is.
        (ProbeKind::Readiness, None, _) if endpoint.kind == EndpointKind::Aggregate => None,
        (_, _, Some(other)) => {
            Some(format!("ask {} instead, which is about the process alone ({framework})", instead(other)))
        }
        _ => None,
    };
    Question {
        asks: format!("asks `{path}`, an endpoint that asks {}", endpoint.asks),
        other: other.to_owned(),
        clue,
        at,
        field,
        confidence: if endpoint.is_convention { Confidence::Low } else { Confidence::Medium },
        help,
        labels: Vec::new(),
    }
}

fn leader(asks: String, at: Span, field: String) -> Question {
    Question {
        asks,
        other: "the leader".to_owned(),
        clue: Clue::Leader { by_lease: true },
        at,
        field,
        confidence: Confidence::Medium,
        help: None,
        labels: Vec::new(),
    }
}

/// Words of a command that are known to stand for the leader alone.
fn leader_words(command: &Command<'_>) -> Option<Question> {
    let mut programs = command.exec.programs().filter(|(id, _)| command.decides(*id));
    programs.find_map(|(_, run)| {
        let word =
            run.words.iter().find(|word| word.text().is_some_and(|text| knowledge::leader_word(&text).is_some()))?;
        let text = word.text()?;
        let asks = format!("asks for `{text}`, which only the leader writes");
        Some(leader(asks, command.span(word.place), "exec.command".to_owned()))
    })
}

/// Clients in the command that talk to somebody else, or ask about more than the process at hand.
fn clients(cx: &Context<'_>, container: &Container, probe: &Probe, command: &Command<'_>) -> Vec<Question> {
    let mut questions = Vec::new();
    for call in command.exec.calls(knowledge::clients()) {
        if !command.decides(call.id) {
            continue;
        }
        let program = call.run.program().unwrap_or_default().into_owned();
        let own = names_own_pod(container, command, &call);
        for target in call.targets() {
            questions.extend(target_question(cx, container, command, &program, &target));
            if let Some(path) = &target.path {
                let at = command.span(target.path_place.unwrap_or(target.place));
                let mut question = path_question(container, probe, path, at, "exec.command".to_owned());
                // `_cat/nodes | grep $(hostname)` looks for itself in the answer.
                if let Some(Question { clue: Clue::Cluster { own: by_name }, .. }) = &mut question {
                    *by_name = own;
                }
                questions.extend(question);
            }
        }
        if questions.is_empty() {
            questions.extend(asks(command, &call, &program, own));
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
fn asks(command: &Command<'_>, call: &Call<'_>, program: &str, own: bool) -> Option<Question> {
    let asks = call.asks();
    // Of several questions in one command, the one about others.
    let about_others = |about: About| matches!(about, About::Cluster | About::Broker);
    let ask = asks.iter().find(|ask| about_others(ask.about)).or_else(|| asks.first())?;
    let own = own || call.asks_own(ask);
    let (what, other, clue) = match ask.about {
        About::Broker => ("goes through the broker", "the broker", Clue::Broker { own }),
        About::Cluster if call.client.kind == Kind::Dns => ("asks the DNS of the cluster", "that DNS", Clue::Named),
        About::Cluster => ("asks about the whole cluster", "another member of the cluster", Clue::Cluster { own }),
        About::Quorum => ("asks for the quorum of the cluster", "the quorum of the cluster", Clue::Quorum),
        About::Role => ("asks for a role in the cluster", "the role", Clue::Role),
        About::Leader => ("only succeeds on the primary", "the primary", Clue::Leader { by_lease: false }),
        About::State => ("asks for a state that a restart does not change", "this check", Clue::State),
    };
    let place = call.run.program_word().map_or(call.run.place, |word| word.place);
    Some(Question {
        asks: format!("runs `{program}`, which {what}"),
        other: other.to_owned(),
        clue,
        at: command.span(place),
        field: "exec.command".to_owned(),
        confidence: Confidence::Medium,
        help: None,
        labels: Vec::new(),
    })
}

/// Whether a call, or what reads its output, names the pod it runs in, by custom or by a variable of the container.
fn names_own_pod(container: &Container, command: &Command<'_>, call: &Call<'_>) -> bool {
    let is_name = |path: &str| path == "metadata.name" || path.starts_with("status.podIP");
    let of_pod =
        container.env.iter().filter(|variable| matches!(&variable.source, EnvSource::Pod(path) if is_name(path)));
    let names: Vec<&str> = of_pod.map(|variable| variable.name.as_str()).collect();
    command.exec.names_own_pod(call.id, &names)
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
    let found = |host: &str, confidence, label: Option<(Span, String)>| Question {
        asks: format!("asks `{host}` with `{program}`"),
        other: format!("`{host}`"),
        at,
        field: "exec.command".to_owned(),
        confidence,
        clue: Clue::Named,
        help: None,
        labels: label.map(|(span, text)| (cx.source, span, text)).into_iter().collect(),
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
    !is_own_name && !is_own_service(cx, first)
}

/// Whether the first label of a host is the name of a Service that leads to the workload's own pods.
fn is_own_service(cx: &Context<'_>, first: &str) -> bool {
    cx.workload.service_name.value().is_some_and(|service| service == first)
        || cx.project.services_of(cx.source, cx.workload).iter().any(|(_, service)| service.name == first)
}
