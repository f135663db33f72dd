use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Odd, OddKey};
use crate::span::Span;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for odd in &cx.workload.odd_keys {
        match odd.odd {
            Odd::Repeated { first, first_value } => repeated(cx, sink, odd, first, first_value),
            Odd::OverriddenByMerge { merge } => {
                let name = &odd.name;
                let message = format!("`{name}` in {} has no effect: `<<` behind it brings in another", place(cx, odd));
                let _ = sink
                    .path(&odd.path, odd.at, message)
                    .label(merge, "this merge key is read last, and so it wins")
                    .why("kubectl applies a merge key where it stands, whatever the YAML specification says")
                    .help("move `<<` to the top of the map: what is written behind it is then in force");
            }
            Odd::Unknown => {}
        }
    }
}

fn repeated(cx: &Context<'_>, sink: &mut Sink<'_>, odd: &OddKey, first: Span, first_value: Span) {
    let name = &odd.name;
    let (old, new) = (first_value.text(cx.text), odd.value.text(cx.text));
    let is_same = old == new;
    let is_short = !old.is_empty() && !new.is_empty() && old.len() + new.len() < 40 && !old.contains('\n');
    let wins = match (is_same, is_short && !new.contains('\n')) {
        (true, _) => "both say the same".to_owned(),
        (false, true) => format!("kubectl keeps {new} and drops {old}"),
        (false, false) => "kubectl keeps the last and drops the other".to_owned(),
    };
    let message = format!("`{name}` is written twice in {}; {wins}", place(cx, odd));
    let fix = edit::remove_entry(cx.text, odd.map, first, first_value).map(|edit| {
        let title = format!("delete the first `{name}`");
        if is_same { Fix::safe(title, vec![edit]) } else { Fix::risky(title, vec![edit]) }
    });
    let help = if is_same { "delete one of them" } else { "keep the one that is meant" };
    let _ = sink
        .path(&odd.path, odd.at, message)
        .label(first, "first written here")
        .why("clients that send YAML as it is are refused under strict validation; kubectl says nothing")
        .help(help)
        .fix(fix);
}

/// "the liveness probe of container `app`", "container `app`", or the path.
fn place(cx: &Context<'_>, odd: &OddKey) -> String {
    let Some(container) = cx.workload.container_at(&odd.path) else {
        return match odd.path.rsplit_once('.') {
            Some((parent, _)) => format!("`{parent}`"),
            None => "the object".to_owned(),
        };
    };
    let field = odd.path.get(container.path.len()..).unwrap_or_default().trim_start_matches('.');
    let mut keys = field.split('.');
    let first = keys.next().unwrap_or_default();
    let rest: Vec<&str> = keys.collect();
    match container.probes.iter().find(|probe| probe.field() == first && !rest.is_empty()) {
        Some(probe) => {
            let who = words::probe(cx.workload, container, probe);
            match rest.as_slice() {
                [inside @ .., _] if !inside.is_empty() => format!("`{}` of {who}", inside.join(".")),
                _ => who,
            }
        }
        None if rest.is_empty() => words::owner(cx.workload, container),
        None => {
            let inside = field.rsplit_once('.').map_or(field, |(parent, _)| parent);
            format!("`{inside}` of {}", words::owner(cx.workload, container))
        }
    }
}
