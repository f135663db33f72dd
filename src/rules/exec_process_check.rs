use super::exec::{self, Command};
use super::{Context, Sink, words};
use crate::model::{Container, Probe, ProbeKind};
use crate::shell::{Decides, Output, Run, RunId, Word};

/// What starts and keeps other processes: with one of these a process can be gone while the container runs.
const SUPERVISORS: [&str; 13] = [
    "supervisord",
    "s6-svscan",
    "s6-overlay",
    "runsvdir",
    "runit",
    "my_init",
    "systemd",
    "init",
    "pm2",
    "foreman",
    "circusd",
    "honcho",
    "monit",
];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        if probe.kind != ProbeKind::Liveness || !container.may_have_probes() || has_supervisor(container) {
            continue;
        }
        let Some(command) = probe.handler().and_then(exec::read).filter(|command| command.exec.understood()) else {
            continue;
        };
        if let Some(run) = only_looks_for_processes(&command) {
            report(cx, sink, container, probe, &command, run);
        }
    }
}

/// The command that looks for a process, when nothing else decides.
fn only_looks_for_processes(command: &Command<'_>) -> Option<RunId> {
    let runs = command.exec.runs();
    let deciding: Vec<RunId> =
        command.exec.programs().filter(|(_, run)| run.decides != Decides::No).map(|(id, _)| id).collect();
    let looks = |&id: &RunId| !runs[id].negated && looks_for_process(command, id);
    if deciding.iter().all(|id| looks(id) || is_ending(&runs[*id])) {
        deciding.iter().copied().find(|id| looks(id))
    } else {
        None
    }
}

/// `exit 1` and `true` behind a question ask nothing themselves.
fn is_ending(run: &Run) -> bool {
    run.program().is_some_and(|name| ["exit", "true", "false", "echo", "return"].contains(&name.as_ref()))
}

fn looks_for_process(command: &Command<'_>, id: RunId) -> bool {
    let runs = command.exec.runs();
    let run = &runs[id];
    let texts: Vec<_> = run.words.iter().skip(1).filter_map(Word::text).collect();
    match run.program().as_deref() {
        // `pgrep -c` prints a number that somebody compares, `-o` and its kin look at ages.
        Some("pgrep" | "pidof") => !texts.iter().any(|text| text.starts_with("-c") || text.starts_with("--older")),
        Some("killall") => texts.iter().any(|text| text == "-0"),
        Some("kill") => texts.iter().any(|text| text == "-0"),
        Some("grep" | "egrep" | "fgrep") => {
            let mut at = id;
            // Back through the pipeline to `ps`.
            while let Some(before) = runs.iter().rposition(|run| run.output == Output::Pipe(at) && run.script.is_none())
            {
                match runs[before].program().as_deref() {
                    Some("ps") => return true,
                    Some("grep" | "egrep" | "fgrep") if before < at => at = before,
                    _ => return false,
                }
            }
            false
        }
        _ => false,
    }
}

/// Whether the container is told to run more than one process. What the image runs by itself is not known.
fn has_supervisor(container: &Container) -> bool {
    container.command.iter().chain(&container.args).any(|arg| {
        let has_name = |name: &&str| arg.text.split(['/', ' ', '\n', '\t']).any(|word| word == *name);
        // A script that puts processes into the background, or waits for them.
        let forks = arg.text.contains(" &\n") || arg.text.trim_end().ends_with(" &") || arg.text.contains(" & ");
        SUPERVISORS.iter().any(has_name) || forks || arg.text.contains("wait -n")
    })
}

fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    command: &Command<'_>,
    id: RunId,
) {
    let run = &command.exec.runs()[id];
    let who = words::probe(cx.workload, container, probe);
    let program = run.program().unwrap_or_default();
    sink.probe(
        container,
        probe,
        "exec.command",
        command.span(run.place),
        format!("{who} only asks with `{program}` whether a process is there"),
    )
    .why(
        "when the first process of a container ends, the container ends and is restarted without a probe; one that \
         hangs or does no work is still there and passes",
    )
    .help(
        "ask for work that was done: an HTTP endpoint, a heartbeat file that is young enough, or the client of the \
         program; else leave the probe out",
    );
}
