use super::probe_unknown_field::{refused_or, unknown};
use super::{Context, Sink, words};
use crate::fix::{Edit, Fix, edit};
use crate::model::{Container, Handler, Key, Odd, OddKey, OddPlace, Origin, Probe, ProbeKind, Role, fields};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for odd in cx.workload.odd_keys.iter().filter(|odd| odd.odd == Odd::Unknown) {
        match odd.place {
            OddPlace::Elsewhere if odd.name == "containers" => misplaced_containers(cx, sink, odd),
            OddPlace::Elsewhere => misplaced_probe(cx, sink, odd),
            OddPlace::Container if is_part(&odd.name) => part_in_container(cx, sink, odd),
            _ => {}
        }
    }
    for (container, probe) in cx.workload.probes().filter(|(container, _)| container.may_have_probes()) {
        for key in unknown(&probe.keys).filter(|key| is_probe(&key.name)) {
            probe_in_probe(cx, sink, container, probe, key);
        }
        for handler in &probe.handlers {
            let parts = unknown(&handler.keys).filter(|key| fields::PROBE.contains(&key.name.as_ref()));
            for key in parts {
                part_in_handler(cx, sink, container, probe, handler, key);
            }
        }
    }
}

fn is_probe(name: &str) -> bool {
    ProbeKind::ALL.iter().any(|kind| kind.field() == name)
}

fn is_part(name: &str) -> bool {
    fields::PROBE.contains(&name)
}

/// "container `app`" where there is one to move things to.
fn destination(cx: &Context<'_>) -> String {
    let mut containers = cx.workload.containers.iter().filter(|container| container.role == Role::Main);
    match (containers.next(), containers.next()) {
        (Some(container), None) => words::owner(cx.workload, container),
        _ => "the container that it is about".to_owned(),
    }
}

fn misplaced_probe(cx: &Context<'_>, sink: &mut Sink<'_>, odd: &OddKey) {
    let name = &odd.name;
    let parent = odd.path.rsplit_once('.').map_or("the object", |(parent, _)| parent);
    let owner = cx.workload.container_at(&odd.path);
    let what = if is_probe(name) { "probes" } else { "parts of probes" };
    let message = format!("`{name}` stands in `{parent}`, where {what} mean nothing");
    let message = if parent == "the object" { message.replace("`the object`", "the object itself") } else { message };
    let to = owner.map_or_else(|| destination(cx), |container| words::owner(cx.workload, container));
    let help = if is_probe(name) {
        format!("move it to {to}, beside its `image`")
    } else {
        format!("move it into a probe of {to}")
    };
    let mut report = sink.path(&odd.path, odd.at, message).why(refused_or("drop it, so no such probe runs")).help(help);
    if owner.is_none()
        && let [container] = cx.workload.containers.as_slice()
    {
        report = report.label(container.name_at, "the container");
    }
    let _ = report;
}

fn misplaced_containers(cx: &Context<'_>, sink: &mut Sink<'_>, odd: &OddKey) {
    let pod = &cx.workload.pod_path;
    let parent = odd.path.rsplit_once('.').map_or("the object", |(parent, _)| parent);
    let message =
        format!("`containers` stands in `{parent}`, but the containers of a {} are in `{pod}`", cx.workload.kind);
    sink.path(&odd.path, odd.at, message)
        .why(refused_or("drop them, so nothing in them runs"))
        .help(format!("move the containers, with their probes, to `{pod}.containers`"));
}

fn part_in_container(cx: &Context<'_>, sink: &mut Sink<'_>, odd: &OddKey) {
    let Some(container) = cx.workload.container_at(&odd.path).filter(|container| container.may_have_probes()) else {
        return;
    };
    let name = &odd.name;
    let owner = words::owner(cx.workload, container);
    let message = format!("`{name}` stands directly in {owner}, which has no such field");
    let help = if name == "terminationGracePeriodSeconds" {
        "move it to the pod spec, beside `containers`, or into a liveness or startup probe".to_owned()
    } else {
        format!("move `{name}` into `livenessProbe`, `readinessProbe` or `startupProbe`")
    };
    let what = if name == "terminationGracePeriodSeconds" {
        "drop it, and the default of 30 s applies"
    } else {
        "drop it, so no probe runs from it"
    };
    sink.container(container, name, odd.at, message).why(refused_or(what)).help(help);
}

fn probe_in_probe(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, key: &Key) {
    let who = words::probe(cx.workload, container, probe);
    let message = format!("`{}` stands inside {who}, where it is unknown", key.name);
    sink.probe(container, probe, &key.name, key.at, message)
        .why(refused_or("drop it, so no such probe runs"))
        .help("indent it less: a probe is a field of the container, not of another probe");
}

fn part_in_handler(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    handler: &Handler,
    key: &Key,
) {
    let inside = handler.kind().field();
    let name = &key.name;
    let is_own = fields::of_handler(handler.kind()).contains(&name.as_ref());
    if is_own || cx.workload.origin == Origin::Fragment && probe.handlers.len() != 1 {
        return;
    }
    let who = words::probe(cx.workload, container, probe);
    let message = format!("`{name}` of {who} stands inside `{inside}`, where it is unknown");
    let report = sink
        .probe(container, probe, &format!("{inside}.{name}"), key.at, message)
        .why(refused_or("drop it, and its default applies"));
    let _ = match probe.keys.iter().find(|other| other.name == *name) {
        Some(other) => report
            .label(other.at, "the probe has the field already")
            .help("delete it: the field is there already, one level up"),
        None => report
            .help(format!("move it out of `{inside}`, one level up: it belongs to the probe"))
            .fix(move_out(cx.text, probe, handler, key)),
    };
}

/// Takes a number out of the handler and puts it beside the handler.
fn move_out(text: &str, probe: &Probe, handler: &Handler, key: &Key) -> Option<Fix> {
    // The last entry of a map cannot go without leaving null behind; a handler inside a handler is no number.
    let is_number = !key.value.text(text).is_empty() && !key.value.text(text).contains(['\n', '{', '[', '&', '*']);
    let stays = handler.keys.iter().any(|other| other.known);
    if !is_number || !stays {
        return None;
    }
    let out = edit::remove_entry(text, handler.at, key.at, key.value)?;
    let value = key.value.text(text);
    let put = put_beside(text, probe, handler, key, value)?;
    let mut edits = vec![out, put];
    edits.sort_by_key(|edit| edit.span);
    Some(Fix::safe(format!("move `{}` out of `{}`", key.name, handler.kind().field()), edits))
}

fn put_beside(text: &str, probe: &Probe, handler: &Handler, key: &Key, value: &str) -> Option<Edit> {
    if edit::is_flow(text, probe.at) {
        let name = edit::quoted_like(text, handler.key, &key.name);
        return Some(edit::replace(crate::span::Span::at(handler.at.end), format!(", {name}: {value}")));
    }
    edit::insert_lines_before(text, handler.key, &[format!("{}: {value}", key.name)]).or_else(|| {
        // The handler shares its line with a dash: behind it then.
        edit::insert_entry(text, probe.at, handler.key, handler.at, &key.name, value)
    })
}
