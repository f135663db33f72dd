use super::spring::{self, Setting, Settings, health};
use super::{Context, Sink, ports, words};
use crate::finding::{Confidence, Level};
use crate::fix::{Fix, edit};
use crate::model::{Action, Container, Field, Handler, Number, Port, Probe};

/// The endpoint without any settings.
const DEFAULT: &str = "/actuator/health";

/// Why the probe does not reach the health endpoint.
struct Fault<'s> {
    /// Continues the name of the probe.
    message: String,
    /// What the probe gets.
    gets: &'static str,
    help: String,
    setting: &'s Setting,
    /// The right port or path, when that is what must change.
    instead: Option<Instead>,
    /// Whether a setting that the input does not show could make it right.
    is_likely: bool,
}

enum Instead {
    Port(Number),
    Path(String),
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for container in cx.workload.containers.iter().filter(|container| container.may_have_probes()) {
        let asks = |probe: &Probe| probe.handler().and_then(health::path).is_some();
        if !container.probes.iter().any(asks) {
            continue;
        }
        let settings = spring::settings(cx, container);
        if settings.is_empty() {
            continue;
        }
        for probe in &container.probes {
            let Some(handler) = probe.handler() else { continue };
            if let Some(mut fault) = fault(container, handler, &settings) {
                fault.is_likely |= settings.may_be_overridden();
                report(cx, sink, container, probe, handler, &fault);
            }
        }
    }
}

/// What the settings say against a probe.
///
/// Sources: Spring Boot reference documentation, "Monitoring and Management over HTTP" (sections "Customizing the Management
/// Endpoint Paths" and "Customizing the Management Server Port") and "Endpoints" (sections "Exposing Endpoints" and
/// "Kubernetes Probes").
fn fault<'s>(container: &Container, handler: &Handler, settings: &'s Settings) -> Option<Fault<'s>> {
    let path = health::path(handler)?;
    if health::additional_group(settings, path).is_some() {
        return None;
    }
    let endpoint = health::endpoint(settings)?;
    let base = settings.get("management.endpoints.web.base-path");
    // Where the endpoint would be without the settings.
    if let Some((head, rest)) = health::split(path, DEFAULT)
        && endpoint != DEFAULT
        && (DEFAULT.ends_with(&endpoint) || health::split(path, &endpoint).is_none())
    {
        let (_, setting) = base.set().or_else(|| settings.get("management.endpoints.web.path-mapping.health").set())?;
        let own = base.value().unwrap_or_default().trim_end_matches('/');
        let head = head.strip_suffix(own).unwrap_or(head);
        return Some(wrong_path(path, format!("{head}{endpoint}{rest}"), setting, false));
    }
    // Another endpoint of the application may well be called `/health`.
    let (head, rest) = health::split(path, &endpoint)?;
    if base.set().is_none() && endpoint != DEFAULT {
        return None;
    }
    switched_off(settings, rest)
        .or_else(|| wrong_port(container, handler, settings))
        .or_else(|| wrong_prefix(settings, path, head, &format!("{endpoint}{rest}")))
}

fn wrong_path<'s>(path: &str, expected: String, setting: &'s Setting, is_likely: bool) -> Fault<'s> {
    Fault {
        message: format!("asks `{path}`, but the settings put the health endpoint at `{expected}`"),
        gets: "the answer is 404",
        help: format!("ask `{expected}`"),
        setting,
        instead: Some(Instead::Path(expected)),
        is_likely,
    }
}

/// The endpoint is there for nobody, or this group of it.
fn switched_off<'s>(settings: &'s Settings, rest: &str) -> Option<Fault<'s>> {
    let off = |message: &str, help: &str, setting: &'s Setting| Fault {
        message: message.to_owned(),
        gets: "the answer is 404",
        help: help.to_owned(),
        setting,
        instead: None,
        is_likely: false,
    };
    if let Some(("-1", setting)) = settings.get("management.server.port").set() {
        let mut fault =
            off("asks the actuator, which is switched off", "give `management.server.port` a port", setting);
        fault.gets = "nobody answers";
        return Some(fault);
    }
    for (name, value) in
        [("management.endpoint.health.enabled", "false"), ("management.endpoint.health.access", "none")]
    {
        if let Some((found, setting)) = settings.get(name).set()
            && found.eq_ignore_ascii_case(value)
        {
            return Some(off("asks the health endpoint, which is switched off", "switch the endpoint on", setting));
        }
    }
    let names_health = |items: &[(&'s str, &'s Setting)]| {
        items.iter().find(|(item, _)| *item == "*" || item.eq_ignore_ascii_case("health")).map(|(_, setting)| *setting)
    };
    let exclude = settings.list("management.endpoints.web.exposure.exclude");
    if let Some(setting) = exclude.as_deref().and_then(names_health) {
        return Some(off(
            "asks the health endpoint, which is not exposed over HTTP",
            "take `health` out of `management.endpoints.web.exposure.exclude`",
            setting,
        ));
    }
    let include = settings.list("management.endpoints.web.exposure.include");
    if let Some(items) = include.as_deref()
        && names_health(items).is_none()
        && let Some((_, setting)) = items.first()
    {
        return Some(off(
            "asks the health endpoint, which is not exposed over HTTP",
            "add `health` to `management.endpoints.web.exposure.include`",
            setting,
        ));
    }
    let group = rest.strip_prefix('/').filter(|group| ["liveness", "readiness"].contains(group))?;
    let has_group = settings.list(&format!("management.endpoint.health.group.{group}.include")).is_some();
    let probes = ["management.endpoint.health.probes.enabled", "management.health.probes.enabled"];
    let (_, setting) =
        probes.iter().find_map(|name| settings.get(name).set().filter(|(value, _)| *value == "false"))?;
    (!has_group).then(|| {
        off(
            &format!("asks the health group `{group}`, which is switched off"),
            "remove the setting: in Kubernetes the groups are there by default",
            setting,
        )
    })
}

/// The management server listens somewhere else.
fn wrong_port<'s>(container: &Container, handler: &Handler, settings: &'s Settings) -> Option<Fault<'s>> {
    let (value, setting) = settings.get("management.server.port").set()?;
    // 0 is any free port.
    let port: Number = value.parse().ok().filter(|port| *port > 0)?;
    let asked = ports::asked(container, handler)?;
    let number = asked.number.filter(|number| *number != port)?;
    Some(Fault {
        message: format!("asks port {number}, but the settings put the actuator on port {port}"),
        gets: "the answer is 404, or nobody listens there",
        help: format!("ask port {port}"),
        setting,
        instead: Some(Instead::Port(port)),
        is_likely: false,
    })
}

/// What stands before the base path: the context path of the application, or the base path of a management server of
/// its own, which knows no context path.
fn wrong_prefix<'s>(settings: &'s Settings, path: &str, head: &str, tail: &str) -> Option<Fault<'s>> {
    let management = settings.get("management.server.port");
    let server = settings.get("server.port");
    if management.is_hidden() || server.is_hidden() {
        return None;
    }
    let context = ["server.servlet.context-path", "spring.webflux.base-path"]
        .iter()
        .find_map(|name| settings.get(name).set())
        .map(|(value, setting)| (value.trim_end_matches('/'), setting));
    let is_separate = match (management.value(), server.value()) {
        (Some(management), Some(server)) => management != server,
        (Some(management), None) => management != "8080",
        (None, _) => false,
    };
    if is_separate {
        let own = settings.get("management.server.base-path");
        if own.is_hidden() {
            return None;
        }
        if let Some((value, setting)) = own.set() {
            let value = value.trim_end_matches('/');
            return (value != head).then(|| wrong_path(path, format!("{value}{tail}"), setting, false));
        }
        // The context path belongs to the other server.
        let (_, setting) = context.filter(|(context, _)| !context.is_empty() && *context == head)?;
        return Some(wrong_path(path, tail.to_owned(), setting, true));
    }
    let (context, setting) = context?;
    // Without a port in the settings the application may have one of its own for management.
    (context != head).then(|| wrong_path(path, format!("{context}{tail}"), setting, management.set().is_none()))
}

fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    handler: &Handler,
    fault: &Fault<'_>,
) {
    let who = words::probe(cx.workload, container, probe);
    let Action::HttpGet(http) = &handler.action else { return };
    let (field, at) = match &fault.instead {
        Some(Instead::Port(_)) => ("httpGet.port", http.port.at()),
        _ => ("httpGet.path", http.path.at()),
    };
    let fix = match (&fault.instead, &http.port, http.path.spanned()) {
        (Some(Instead::Port(port)), Field::Value { value: Port::Number(_), at, .. }, _) => {
            Some(Fix::risky(format!("ask port {port}"), vec![edit::replace(*at, port.to_string())]))
        }
        (Some(Instead::Path(expected)), _, Some((path, at))) if !path.contains(['?', '#']) => {
            let edit = edit::replace(at, edit::quoted_like(cx.text, at, expected));
            Some(Fix::risky(format!("ask `{expected}`"), vec![edit]))
        }
        _ => None,
    };
    let report = sink
        .probe(container, probe, field, at.unwrap_or(handler.key), format!("{who} {}", fault.message))
        .label_in(fault.setting.source, fault.setting.at, "set here")
        .why(format!("{}: {}", fault.gets, words::fate_of_failing(probe)))
        .help(fault.help.clone())
        .fix(fix);
    if fault.is_likely {
        report.level(Level::Warning).confidence(Confidence::Medium);
    }
}
