use super::{Context, Sink, exec, words};
use crate::finding::Level;
use crate::fix::{Fix, edit};
use crate::knowledge::{self, Role};
use crate::model::{Action, Container, Field, Handler, Orchestrator, Origin, Probe, ProbeKind};
use crate::shell::Peer;
use crate::span::Span;

/// A path that a probe asks its own container for.
struct Asked {
    path: String,
    at: Span,
    field: String,
    /// "with `curl`" for a command.
    how: String,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes().filter(|(_, probe)| probe.kind == ProbeKind::Liveness) {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        let image = container.image.value().map(String::as_str);
        let asked = asked(probe, handler);
        let found = asked.iter().find_map(|asked| Some((asked, knowledge::readiness(&asked.path, image)?)));
        if let Some((asked, role)) = found {
            report(cx, sink, container, probe, asked, role);
        }
    }
}

/// The path of an HTTP handler, or those that clients in a command ask the pod itself for.
fn asked(probe: &Probe, handler: &Handler) -> Vec<Asked> {
    if let Action::HttpGet(http) = &handler.action {
        // What another host says is another fault.
        let is_local = http.host.is_default() || http.host.value().is_some_and(|host| is_loopback(host));
        if !is_local {
            return Vec::new();
        }
        let field = format!("{}.path", probe.handler_field(handler.kind()));
        let path = http.path.spanned();
        return path
            .map(|(path, at)| Asked { path: path.clone(), at, field, how: String::new() })
            .into_iter()
            .collect();
    }
    let Some(command) = exec::read(handler) else { return Vec::new() };
    let mut found = Vec::new();
    for call in command.exec.calls(knowledge::clients()).iter().filter(|call| command.decides(call.id)) {
        let program = call.run.program().unwrap_or_default();
        for target in call.targets() {
            let (Peer::Loopback | Peer::OwnPod, Some(path)) = (&target.peer, target.path) else { continue };
            let at = command.span(target.path_place.unwrap_or(target.place));
            found.push(Asked { path, at, field: "exec.command".to_owned(), how: format!(" with `{program}`") });
        }
    }
    found
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn report(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, asked: &Asked, role: &Role) {
    let who = words::probe(cx.workload, container, probe);
    let Asked { path, how, .. } = asked;
    let within =
        words::numbers(probe).map_or_else(String::new, |numbers| format!(" within {}", numbers.act_after_refusal()));
    let why = match probe.orchestrator {
        Orchestrator::Tye => format!(
            "what should only keep traffic away for a while (a slow start, a dependency, too much load) restarts the \
             replica{within}"
        ),
        _ => format!(
            "what should only take the pod out of its Services for a while (a slow start, a dependency, too much load) \
             restarts the container{within}"
        ),
    };
    let live = live_path(path, role);
    let mut help = match (&live, &role.such_as) {
        (Some(live), _) => format!("ask `{live}` instead, which is about the process alone"),
        (None, Some(such_as)) => {
            format!("ask an endpoint that is about the process alone, such as {such_as}, if there is one")
        }
        (None, None) => "ask an endpoint that is about the process alone, if there is one".to_owned(),
    };
    let readiness = container.probe(ProbeKind::Readiness);
    let templated = container.templated_probes.contains(&ProbeKind::Readiness);
    if readiness.is_none() && !templated && cx.workload.origin == Origin::Complete {
        help.push_str(&format!("; `{path}` belongs into a readiness probe"));
    }
    let message = format!("{who} asks `{path}`{how}, an endpoint for readiness");
    let mut report = sink.probe(container, probe, &asked.field, asked.at, message).why(why).help(help);
    if let Some((live, fix)) = live.zip(fix(cx, asked, role)) {
        report = report.fix(Some(Fix::risky(format!("ask `{live}`"), vec![fix])));
    }
    if let Some(at) = readiness.and_then(|probe| same_path(probe, path)).filter(|_| probe.alias.is_none()) {
        report = report.label(at, "the readiness probe asks the same");
    }
    if role.is_tolerated {
        report = report.level(Level::Advice);
    }
    let _ = report;
}

/// The path that the framework documents for the process alone.
fn live_path(path: &str, role: &Role) -> Option<String> {
    let (ready, live) = (role.ready.as_deref()?, role.live.as_deref()?);
    let (base, query) = path.split_once('?').map_or((path, None), |(base, query)| (base, Some(query)));
    if ready.is_empty() {
        // Other parameters could mean anything.
        return query.filter(|query| !query.contains('&')).map(|_| format!("{base}{live}"));
    }
    let stem = base.trim_end_matches('/').strip_suffix(ready)?;
    query.is_none().then(|| format!("{stem}{live}"))
}

/// The other path in the place of this one; `None` where the path does not stand in the file as it is.
fn fix(cx: &Context<'_>, asked: &Asked, role: &Role) -> Option<crate::fix::Edit> {
    let live = live_path(&asked.path, role)?;
    let text = asked.at.text(cx.text);
    let start = asked.at.start + text.find(asked.path.as_str())? as u32;
    let is_whole = text.trim_matches(['"', '\'']) == asked.path;
    is_whole.then(|| edit::replace(Span::new(start, start + asked.path.len() as u32), live))
}

/// Where a probe asks for the same path.
fn same_path(probe: &Probe, path: &str) -> Option<Span> {
    match &probe.handler()?.action {
        Action::HttpGet(http) => match &http.path {
            Field::Value { value, at, .. } if value == path => Some(*at),
            _ => None,
        },
        _ => None,
    }
}
