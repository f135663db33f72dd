use super::dependency::{self, Clue, Question};
use super::{Context, Sink, rollout, words};
use crate::finding::{Confidence, Level};
use crate::model::{Container, Probe, ProbeKind};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        if probe.kind == ProbeKind::Readiness {
            continue;
        }
        for question in dependency::questions(cx, container, probe) {
            if matters(cx, probe, &question) {
                report(cx, sink, container, probe, question);
            }
        }
    }
}

fn matters(cx: &Context<'_>, probe: &Probe, question: &Question) -> bool {
    let by_command = question.field == "exec.command";
    match question.clue {
        // A start may well wait for a role or a state.
        Clue::Role | Clue::State | Clue::Leader { .. } if probe.kind == ProbeKind::Startup && by_command => false,
        // The only replica leads, unless another one still holds the lease.
        Clue::Leader { by_lease } => {
            !rollout::count(cx).is_single() || rollout::leader_blocks_rollout(cx, by_lease).is_some()
        }
        _ => true,
    }
}

fn report(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, question: Question) {
    let who = words::probe(cx.workload, container, probe);
    let other = &question.other;
    let within = match words::numbers(probe) {
        Some(numbers) => format!("within {}", numbers.act_after_hang()),
        None => "soon".to_owned(),
    };
    let replicas = rollout::all(cx);
    let why = match (probe.kind, question.clue) {
        (_, Clue::Leader { .. }) => {
            format!("every replica but {other} is restarted {within}, again and again, though nothing is wrong with it")
        }
        (_, Clue::Host) => format!(
            "the kubelet looks the name up on the node, which as a rule knows no Services: then {replicas} restarted \
             again and again; and where it does know {other}, its outage does the same {within}"
        ),
        (ProbeKind::Startup, _) => {
            format!("while {other} does not answer, no start succeeds: {replicas} restarted {within}, again and again")
        }
        _ => format!(
            "when {other} fails, {replicas} restarted {within}, and again after each start, though nothing is wrong \
             with them; a restart mends nothing there"
        ),
    };
    let help = question.help.unwrap_or_else(|| {
        let elsewhere = match question.clue {
            Clue::Leader { .. } => "one that waits to lead is well",
            _ => "a dependency belongs into readiness, if anywhere",
        };
        format!("ask only whether the process itself is stuck; {elsewhere}")
    });
    let mut report = sink
        .probe(container, probe, &question.field, question.at, format!("{who} {}", question.asks))
        .why(why)
        .help(help)
        .confidence(question.confidence);
    if question.confidence == Confidence::Low {
        report = report.level(Level::Advice);
    } else if question.clue == Clue::Host {
        // As a rule the name is not even found.
        report = report.level(Level::Error);
    }
    for (source, span, text) in question.labels {
        report = report.label_in(source, span, text);
    }
}
