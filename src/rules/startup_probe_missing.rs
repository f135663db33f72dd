use super::{Context, Sink, words};
use crate::finding::Level;
use crate::fix::{Edit, Fix, edit};
use crate::knowledge;
use crate::model::{Container, Field, Orchestrator, Origin, Probe, ProbeKind, Timing};
use crate::timing::{Numbers, Worker};

/// Seconds of `initialDelaySeconds` from which it stands in for a startup probe.
const STAND_IN_DELAY: i64 = 30;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Tye has no startup probe; its rules say what to do instead. A patch or block does not show the others.
    if cx.workload.origin != Origin::Complete || cx.workload.orchestrator == Orchestrator::Tye {
        return;
    }
    for container in &cx.workload.containers {
        let Some(liveness) = container.probe(ProbeKind::Liveness) else { continue };
        let has_startup = container.probe(ProbeKind::Startup).is_some()
            || container.templated_probes.contains(&ProbeKind::Startup)
            || container
                .keys
                .iter()
                .any(|key| !key.known && super::spelling::guess(&key.name, &["startupProbe"]).is_some());
        if has_startup || !container.may_have_probes() || liveness.handlers.is_empty() {
            continue;
        }
        let Some(numbers) = words::numbers(liveness) else { continue };
        let start = numbers.act_after_start();
        let owner = words::owner(cx.workload, container);
        let image = container.image.value().and_then(|image| knowledge::image(image));
        let needed = image.and_then(|image| image.start);
        let message = format!("{owner} has a liveness probe and no startup probe");
        let mut report = sink.container(container, "startupProbe", container.name_at, message);
        report = report.label(liveness.key, format!("may restart the container {start} after its start"));
        match needed.filter(|&needed| start.latest < needed) {
            Some(needed) => {
                let name = container.image.value().map_or("", String::as_str);
                report = report
                    .label(container.image.at().unwrap_or(container.name_at), "known to start slowly")
                    .why(format!(
                        "a start of `{}` may take {needed} s, recovery included, but a process that does not answer is \
                         restarted after {start}; the next start then begins from nothing, for ever",
                        short(name)
                    ))
                    .help(format!(
                        "add a `startupProbe` that allows at least {needed} s, such as `periodSeconds: 10` with \
                         `failureThreshold: {}`; it holds liveness back until the process answers",
                        proposal(needed).failure_threshold
                    ))
                    .fix(startup_probe(cx, container, liveness, needed));
            }
            None => {
                let delay = liveness.effective(Timing::InitialDelay).filter(|delay| delay.value >= STAND_IN_DELAY);
                report = report.level(Level::Advice);
                report = match delay.and_then(|delay| Some((delay.value, delay.written?))) {
                    Some((seconds, place)) => report
                        .label(place, "stands in for a startup probe")
                        .why(format!(
                            "every start, quick ones too, runs {seconds} s without liveness, and one that takes more than \
                             {} s is restarted all the same",
                            start.earliest
                        ))
                        .help("a `startupProbe` ends the wait as soon as the process answers, and can wait longer")
                        .fix(startup_probe(cx, container, liveness, start.latest)),
                    None => report
                        .why(format!("a start that takes more than {} s is restarted", start.earliest))
                        .help("add a `startupProbe` if a start can take that long on a busy node"),
                };
            }
        }
        let _ = report;
    }
}

/// The startup probe that is proposed: every 10 s, for as long as a start takes, but a minute at least.
fn proposal(seconds: u64) -> Numbers {
    let proposal = Numbers {
        worker: Worker::Kubelet,
        initial_delay: 0,
        period: 10,
        timeout: 1,
        success_threshold: 1,
        failure_threshold: 0,
    };
    Numbers { failure_threshold: proposal.failures_to_allow(seconds.max(60)), ..proposal }
}

fn short(image: &str) -> &str {
    image.rsplit('/').next().unwrap_or(image)
}

/// A startup probe with the liveness probe's own handler, put before it.
fn startup_probe(cx: &Context<'_>, container: &Container, liveness: &Probe, needed: u64) -> Option<Fix> {
    let handler = liveness.handler()?;
    let proposal = proposal(needed);
    if edit::is_flow(cx.text, liveness.at) || edit::is_flow(cx.text, container.at) || !liveness.editable {
        return None;
    }
    let step = indentation(cx.text, handler.key.start).checked_sub(indentation(cx.text, liveness.key.start))?;
    let mut lines = vec!["startupProbe:".to_owned()];
    let field = handler_lines(cx.text, handler.key.to(handler.at))?;
    lines.extend(field.into_iter().map(|line| format!("{}{line}", " ".repeat(step))));
    lines.push(format!("{}periodSeconds: 10", " ".repeat(step)));
    if let Field::Value { value, .. } = liveness.timing(Timing::Timeout) {
        lines.push(format!("{}timeoutSeconds: {value}", " ".repeat(step)));
    }
    lines.push(format!("{}failureThreshold: {}", " ".repeat(step), proposal.failure_threshold));
    let change: Edit = edit::insert_lines_before(cx.text, liveness.key, &lines)?;
    Some(Fix::risky(format!("add a startup probe that allows {} s", proposal.start_budget()), vec![change]))
}

fn indentation(text: &str, at: u32) -> usize {
    (at - edit::line_start(text, at)) as usize
}

/// The lines of a handler as written, without the indentation of its key.
fn handler_lines(text: &str, span: crate::span::Span) -> Option<Vec<String>> {
    let indent = indentation(text, span.start);
    let mut lines = span.text(text).lines();
    let mut out = vec![lines.next()?.trim_end().to_owned()];
    for line in lines {
        // A line that is less indented would change its meaning elsewhere.
        let stripped = if line.trim().is_empty() {
            ""
        } else {
            line.get(indent..).filter(|_| line[..indent].trim().is_empty())?
        };
        out.push(stripped.trim_end().to_owned());
    }
    Some(out)
}
