use super::spelling::{Guess, guess};
use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Action, Container, Handler, Key, Origin, Probe, ProbeKind, fields};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for container in &cx.workload.containers {
        if !container.may_have_probes() {
            continue;
        }
        if cx.workload.origin != Origin::Fragment {
            check_container(cx, sink, container);
        }
        for probe in &container.probes {
            check_probe(cx, sink, container, probe);
        }
    }
}

/// A key of a container that was meant to be a probe.
fn check_container(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container) {
    let probes: Vec<&'static str> = ProbeKind::ALL.iter().map(|kind| kind.field()).collect();
    for key in container.keys.iter().filter(|key| !key.known) {
        let Some(Guess { field, .. }) = guess(&key.name, &probes) else { continue };
        let owner = words::owner(cx.workload, container);
        let taken = container.keys.iter().find(|other| other.name == field);
        let message = format!("`{}` of {owner} is no field of a container, so no probe runs from it", key.name);
        let mut report = sink
            .container(container, &key.name, key.at, message)
            .why(refused_or("drop it and run no such probe"))
            .fix(rename(cx.text, key, field, taken.is_none()));
        report = match taken {
            Some(other) => report
                .label(other.at, format!("the container has a `{field}` already"))
                .help(format!("delete it, or move its settings into `{field}`")),
            None => report.help(format!("write `{field}`")),
        };
        let _ = report;
    }
}

fn check_probe(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe) {
    let who = words::probe(cx.workload, container, probe);
    // What is a field elsewhere is another rule's.
    for key in unknown(&probe.keys).filter(|key| !is_probe(&key.name)) {
        let guess = guess(&key.name, &fields::PROBE);
        if cx.workload.origin == Origin::Fragment {
            // Values and settings have keys of their own beside the probe's; only a slip of the pen stands out.
            if !guess.is_some_and(|guess| guess.is_slip && key.name.len() >= 8) {
                continue;
            }
        }
        let message = format!("`{}` is no field of a probe, so {who} ignores it", key.name);
        let help = match (guess, misplaced(&key.name)) {
            (Some(guess), _) => format!("write `{}`", guess.field),
            (None, Some(place)) => place.to_owned(),
            (None, None) => format!("delete it; a probe has {}", list(&fields::PROBE)),
        };
        report(cx, sink, container, probe, "", key, message, help, guess, &probe.keys);
    }
    // Of several handlers, API validation looks into all for unknown fields.
    for handler in &probe.handlers {
        check_handler(cx, sink, container, probe, handler, &who);
    }
}

fn check_handler(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    handler: &Handler,
    who: &str,
) {
    let name = handler.kind().field();
    let known = fields::of_handler(handler.kind());
    for key in unknown(&handler.keys).filter(|key| !fields::PROBE.contains(&key.name.as_ref())) {
        let guess = guess(&key.name, known);
        if cx.workload.origin == Origin::Fragment && guess.is_none_or(|guess| !guess.is_slip || key.name.len() < 8) {
            continue;
        }
        let message = format!("`{}` is no field of `{name}`, so {who} ignores it", key.name);
        let help = match guess {
            Some(guess) => format!("write `{}`", guess.field),
            None => format!("delete it; `{name}` has {}", list(known)),
        };
        report(cx, sink, container, probe, name, key, message, help, guess, &handler.keys);
    }
    let Action::HttpGet(http) = &handler.action else { return };
    for (index, header) in http.headers.value().into_iter().flatten().enumerate() {
        for key in unknown(&header.keys) {
            let guess = guess(&key.name, &fields::HEADER).or(match key.name.as_ref() {
                "key" | "header" => Some(Guess { field: "name", is_slip: false }),
                _ => None,
            });
            let message = format!("`{}` is no field of a header, so {who} ignores it", key.name);
            let help = match guess {
                Some(guess) => format!("write `{}`", guess.field),
                None => "a header has `name` and `value`".to_owned(),
            };
            let place = format!("{name}.httpHeaders[{index}]");
            report(cx, sink, container, probe, &place, key, message, help, guess, &header.keys);
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "one finding of one shape from three places")]
fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    inside: &str,
    key: &Key,
    message: String,
    help: String,
    guess: Option<Guess>,
    siblings: &[Key],
) {
    let place = if inside.is_empty() { key.name.to_string() } else { format!("{inside}.{}", key.name) };
    let taken = guess.and_then(|guess| siblings.iter().find(|other| other.name == guess.field));
    let fix = guess.filter(|guess| guess.is_slip).and_then(|guess| rename(cx.text, key, guess.field, taken.is_none()));
    let mut report = sink
        .probe(container, probe, &place, key.at, message)
        .why(refused_or("drop the field, and its default applies"))
        .help(if taken.is_some() {
            format!("delete it: `{}` is there already", taken.map_or("", |key| &key.name))
        } else {
            help
        });
    if let Some(other) = taken {
        report = report.label(other.at, "the field that is probably meant is here");
    }
    report.fix(fix);
}

pub(super) fn unknown(keys: &[Key]) -> impl Iterator<Item = &Key> {
    // `$patch`, `$retainKeys` and the like steer a strategic merge.
    keys.iter().filter(|key| !key.known && !key.name.starts_with('$') && !key.name.contains("{{"))
}

fn is_probe(name: &str) -> bool {
    ProbeKind::ALL.iter().any(|kind| kind.field() == name)
}

fn rename(text: &str, key: &Key, field: &str, free: bool) -> Option<Fix> {
    free.then(|| {
        Fix::safe(
            format!("rename `{}` to `{field}`", key.name),
            vec![edit::replace(key.at, edit::quoted_like(text, key.at, field))],
        )
    })
}

pub(super) fn refused_or(lenient: &str) -> String {
    format!("kubectl's strict validation refuses the object; clients that only warn {lenient}")
}

/// Where a key belongs that is known, though not here.
fn misplaced(name: &str) -> Option<&'static str> {
    Some(match name {
        "command" => "put it under `exec`",
        "path" | "scheme" | "httpHeaders" => "put it under `httpGet`",
        "port" | "host" => "put it under `httpGet` or `tcpSocket`",
        "service" => "put it under `grpc`",
        "resources" | "securityContext" | "lifecycle" | "env" | "ports" | "volumeMounts" => {
            "indent it less: it is a field of the container"
        }
        _ => return None,
    })
}

pub(super) fn list(fields: &[&str]) -> String {
    fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ")
}
