use super::ports::{self, Setting};
use super::{Context, Sink, words};
use crate::knowledge::{self, Answer, WebPage};
use crate::model::{Action, Container, EnvSource, Field, Header, HttpGet, Orchestrator, Origin, Probe, ProbeKind};
use crate::span::Span;

/// Variables that list the names to which a server answers, and the server that does.
///
/// Source: Django documentation, "Settings", `ALLOWED_HOSTS` (400 for any other Host); documentation of the Nextcloud
/// image.
const HOST_CHECKS: [(&str, &str); 3] =
    [("ALLOWED_HOSTS", "Django"), ("DJANGO_ALLOWED_HOSTS", "Django"), ("NEXTCLOUD_TRUSTED_DOMAINS", "Nextcloud")];

/// Words in the paths that are made for probes, which servers tend to leave open.
const OPEN_PATHS: [&str; 8] = ["health", "live", "ready", "readiness", "ping", "status", "startup", "up"];

/// Why a request is not answered as the probe expects.
struct Guard {
    message: String,
    why: String,
    help: String,
    label: Option<(Span, &'static str)>,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        let Action::HttpGet(http) = &handler.action else { continue };
        let path = match &http.path {
            Field::Absent | Field::Null { .. } if !probe.partial => "/",
            Field::Value { value, .. } => value.as_str(),
            _ => continue,
        };
        let Some(headers) = headers(http) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let settings = ports::settings(cx, container);
        let image = container.image.value().map(String::as_str);
        let guard = knowledge::web_pages(path, &container.name, image)
            .find_map(|row| page(cx, container, probe, path, row, headers, &settings))
            .or_else(|| basic_auth(cx, probe, path, headers, &settings))
            .or_else(|| host_check(cx, container, probe, http, headers));
        let Some(guard) = guard else { continue };
        let (at, field) = match http.path.spanned() {
            Some((_, at)) => (at, "path"),
            None => (handler.key, ""),
        };
        let kind = probe.handler_field(handler.kind());
        let field = if field.is_empty() { kind.to_owned() } else { format!("{kind}.{field}") };
        let report = sink
            .probe(container, probe, &field, at, format!("{who} {}", guard.message))
            .why(guard.why)
            .help(guard.help);
        if let Some((span, text)) = guard.label {
            let _ = report.label(span, text);
        }
    }
}

/// The headers; `None` when they are not all known.
fn headers(http: &HttpGet) -> Option<&[Header]> {
    match &http.headers {
        Field::Absent | Field::Null { .. } => Some(&[]),
        Field::Value { value, .. } => Some(value),
        _ => None,
    }
}

/// A path that is known to be guarded.
fn page(
    cx: &Context<'_>,
    container: &Container,
    probe: &Probe,
    path: &str,
    row: &WebPage,
    headers: &[Header],
    settings: &[Setting<'_>],
) -> Option<Guard> {
    let setting = row.with.iter().find_map(|wanted| settings.iter().find(|setting| is_on(setting, wanted)));
    let hidden = row.with.iter().any(|wanted| container.env.iter().any(|variable| is_hidden(variable, wanted)));
    if !row.with.is_empty() && setting.is_none() && !hidden || carries_credentials(headers) {
        return None;
    }
    let instead = row.instead.as_deref().map(|instead| format!("ask `{instead}`, which needs no login"));
    let label = setting.map(|setting| (setting.at, "set here"));
    let what = if row.of_image { format!("`{path}` of `{}`", image_name(container)) } else { format!("`{path}`") };
    match row.answer {
        Answer::Login => Some(Guard {
            message: format!("asks {what}, which leads to a login page"),
            why:
                "a login page is drawn for everybody, and often by another part of the program than the one that does \
                  the work: the probe passes while that part is broken, and many servers open a session each time"
                    .to_owned(),
            help: instead.unwrap_or_else(|| "ask an endpoint that is made for probes and needs no login".to_owned()),
            label,
        }),
        // A patch or a loose block does not show all headers.
        Answer::Refused if cx.workload.origin == Origin::Complete => Some(Guard {
            message: format!("asks {what}, which is refused without credentials"),
            why: format!("401 and 403 count as failures; {}", fate(probe)),
            help: instead.unwrap_or_else(|| {
                "ask an endpoint that needs no login, or use `exec` with a client that has the credentials".to_owned()
            }),
            label,
        }),
        _ => None,
    }
}

/// Basic authentication switched on, and a request without credentials for a path that is not made for probes.
fn basic_auth(
    cx: &Context<'_>,
    probe: &Probe,
    path: &str,
    headers: &[Header],
    settings: &[Setting<'_>],
) -> Option<Guard> {
    let is_open = path
        .to_ascii_lowercase()
        .split(['/', '-', '_', '.', '?'])
        .any(|part| OPEN_PATHS.iter().any(|word| part == *word || word.len() > 2 && part.contains(word)));
    if cx.workload.origin != Origin::Complete || is_open || carries_credentials(headers) {
        return None;
    }
    let setting = settings.iter().find(|setting| {
        let key = setting.key.to_ascii_lowercase().replace(['_', '.'], "-");
        let names_it = key.contains("basic-auth") || key.contains("basicauth");
        // Settings for what the program itself calls, and for clients of other servers, say nothing of this one.
        let is_outward = ["client", "remote", "registry", "proxy", "upstream", "elastic", "prometheus", "target"];
        names_it && !is_outward.iter().any(|word| key.contains(word)) && is_enabled(setting.value)
    })?;
    Some(Guard {
        message: format!("asks `{path}` without credentials, and `{}` turns on basic authentication", setting.key),
        why: format!("if that path is guarded too, the server answers 401, which counts as a failure; {}", fate(probe)),
        help: "ask an endpoint that the server leaves open".to_owned(),
        label: Some((setting.at, "set here")),
    })
}

/// A list of names to answer to, and a request that carries the pod's address as its name.
fn host_check(
    cx: &Context<'_>,
    container: &Container,
    probe: &Probe,
    http: &HttpGet,
    headers: &[Header],
) -> Option<Guard> {
    let has_host =
        headers.iter().any(|header| header.name.value().is_none_or(|name| name.eq_ignore_ascii_case("host")));
    // With the pod's address at hand, programs add it to the list.
    let knows_address = container.env.iter().any(|variable| {
        matches!(&variable.source, EnvSource::Pod(field) if field.ends_with("podIP") || field.ends_with("podIPs"))
    });
    let complete = cx.workload.origin == Origin::Complete && cx.workload.orchestrator == Orchestrator::Kubernetes;
    if !complete || has_host || knows_address || http.host.is_set() {
        return None;
    }
    let (variable, server, value) = container.env.iter().find_map(|variable| {
        let (_, server) = HOST_CHECKS.iter().find(|(name, _)| *name == variable.name)?;
        let EnvSource::Literal(value) = &variable.source else { return None };
        Some((variable, *server, value.as_str()))
    })?;
    let names: Vec<&str> = value
        .split([',', ' ', ';'])
        .map(|name| name.trim_matches(['[', ']', '"', '\'']))
        .filter(|name| !name.is_empty())
        .collect();
    // `*` lets all names in, and a pattern such as `10.*` may let the address in.
    let open =
        names.iter().any(|name| name.contains(['*', '$', '{']) || name.starts_with(|c: char| c.is_ascii_digit()));
    let first = names.iter().find(|name| **name != "localhost").or(names.first())?;
    if open {
        return None;
    }
    let name = first.trim_start_matches('.');
    Some(Guard {
        message: format!("names no host, and {server} answers only to those in `{}`", variable.name),
        why: format!(
            "without a `Host` header the request carries the pod's address, which is not in the list: {server} answers \
             400; {}",
            fate(probe)
        ),
        help: format!("add `httpHeaders: [{{name: Host, value: {name}}}]`"),
        label: Some((variable.at, "the names it answers to")),
    })
}

fn fate(probe: &Probe) -> String {
    match (probe.kind, words::numbers(probe)) {
        (ProbeKind::Readiness, _) => "the pod never becomes ready".to_owned(),
        (_, Some(numbers)) => {
            let consequence = words::consequence(probe.orchestrator, probe.kind);
            format!("{consequence} within {} of each start", numbers.act_after_start())
        }
        _ => "the probe never succeeds".to_owned(),
    }
}

fn image_name(container: &Container) -> &str {
    let image = container.image.value().map_or("", String::as_str);
    let last = image.split('@').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

/// Whether a request may bring credentials along.
fn carries_credentials(headers: &[Header]) -> bool {
    headers.iter().any(|header| {
        header.name.value().is_none_or(|name| {
            let name = name.to_ascii_lowercase();
            ["auth", "token", "key", "cookie", "passcode", "secret", "user"].iter().any(|word| name.contains(word))
        })
    })
}

/// Whether a setting is the wanted one, `name` or `name=value`, and not switched off.
fn is_on(setting: &Setting<'_>, wanted: &str) -> bool {
    match wanted.split_once('=') {
        Some((name, value)) => setting.key == name && setting.value == value,
        None => setting.key == wanted && is_enabled(setting.value),
    }
}

/// Whether a variable of that name is set from a place that cannot be seen, as passwords are.
fn is_hidden(variable: &crate::model::EnvVar, wanted: &str) -> bool {
    variable.name == wanted && variable.source == EnvSource::Unknown
}

fn is_enabled(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty()
        && !["false", "0", "no", "off", "none", "disabled"].iter().any(|off| value.eq_ignore_ascii_case(off))
}
