use super::probe_unknown_field::{list, refused_or};
use super::spelling::{Guess, guess};
use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{HandlerKind, Odd, OddKey, OddPlace, Origin, ProbeKind, fields};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Of other kinds nobody knows the fields.
    if !cx.workload.is_builtin() || cx.workload.origin == Origin::Fragment {
        return;
    }
    for odd in cx.workload.odd_keys.iter().filter(|odd| odd.odd == Odd::Unknown) {
        // In a patch a null takes a key away that is not there.
        let is_null = matches!(odd.value.text(cx.text).trim(), "" | "null" | "~");
        if is_null && cx.workload.origin == Origin::Patch {
            continue;
        }
        let hooks = HandlerKind::OF_HOOKS.map(HandlerKind::field);
        let (known, what): (&[&'static str], &str) = match odd.place {
            OddPlace::Object => (&fields::OBJECT, "an object"),
            // Of these only slips are told: new releases bring new fields, which have nothing to do with probes.
            OddPlace::Outer if is_slip(&odd.name, &fields::OUTER) => (&fields::OUTER, "a workload"),
            OddPlace::PodSpec if is_slip(&odd.name, &fields::POD_SPEC) => (&fields::POD_SPEC, "a pod spec"),
            OddPlace::Outer | OddPlace::PodSpec => continue,
            OddPlace::Container => (&fields::CONTAINER, "a container"),
            OddPlace::Port => (&fields::PORT, "a port"),
            OddPlace::Lifecycle => (&fields::LIFECYCLE, "`lifecycle`"),
            OddPlace::Hook => (&hooks, "a hook"),
            OddPlace::Action(kind) => (fields::of_handler(kind), "its handler"),
            OddPlace::Elsewhere => continue,
        };
        if odd.place == OddPlace::Container && is_others(&odd.name) {
            continue;
        }
        report(cx, sink, odd, known, what);
    }
}

fn is_slip(name: &str, known: &[&'static str]) -> bool {
    name.len() >= 8 && guess(name, known).is_some_and(|guess| guess.is_slip)
}

/// Keys of a container that other rules speak of: probes gone wrong, and parts of probes.
fn is_others(name: &str) -> bool {
    let probes = ProbeKind::ALL.map(ProbeKind::field);
    fields::PROBE.contains(&name) || guess(name, &probes).is_some()
}

fn report(cx: &Context<'_>, sink: &mut Sink<'_>, odd: &OddKey, known: &[&'static str], what: &str) {
    let name = &odd.name;
    let guess = guess(name, known).or(match (odd.place, name.as_str()) {
        (OddPlace::Port, "port") => Some(Guess { field: "containerPort", is_slip: false }),
        _ => None,
    });
    let place = match odd.place {
        OddPlace::Object => format!("this {}", cx.workload.kind),
        _ => match cx.workload.container_at(&odd.path) {
            Some(container) => words::owner(cx.workload, container),
            None => cx.workload.kind.clone(),
        },
    };
    let message = match odd.place {
        OddPlace::Object => format!("`{name}` is no field of {what}, so {place} is refused"),
        _ => format!("`{name}` in {place} is no field of {what}"),
    };
    let siblings = |field: &str| cx.workload.odd_keys.iter().any(|other| other.path.ends_with(&format!(".{field}")));
    let fix = guess.filter(|guess| guess.is_slip && !siblings(guess.field)).map(|guess| {
        let text = edit::quoted_like(cx.text, odd.at, guess.field);
        Fix::risky(format!("rename `{name}` to `{}`", guess.field), vec![edit::replace(odd.at, text)])
    });
    let help = match guess {
        Some(guess) => format!("write `{}`", guess.field),
        None if odd.place == OddPlace::Object => {
            "move the anchor to where its content is used first, and delete this key".to_owned()
        }
        None if odd.place == OddPlace::Hook => {
            format!("delete it: a hook has no settings, only one of {}", list(known))
        }
        None => "delete it, or look for its right name and place".to_owned(),
    };
    let help = match (odd.place, guess) {
        (OddPlace::Object, None) if !is_anchored(cx.text, odd) => "delete it, or look for its right place".to_owned(),
        _ => help,
    };
    let _ = sink.path(&odd.path, odd.at, message).why(refused_or("drop the field")).help(help).fix(fix);
}

fn is_anchored(text: &str, odd: &OddKey) -> bool {
    let between = text.get(odd.at.end as usize..odd.value.start as usize).unwrap_or_default();
    between.contains('&') || odd.value.text(text).starts_with('&')
}
