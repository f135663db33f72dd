use super::exec::{self, Command};
use super::{Context, Sink, constant, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, Probe, Timing};
use crate::shell::{Decides, IgnoredBy, Output, Run, RunId, Value, Word};

/// Characters of a command that a message shows.
const SHOWN: usize = 40;

/// Why a command cannot fail.
enum Cause {
    /// The exit status of `asked` is thrown away, in favour of `by` if there is one.
    Ignored { asked: RunId, by: Option<RunId>, how: IgnoredBy },
    /// The last command of a pipeline succeeds whatever `asked` prints.
    Filter { asked: RunId, last: RunId },
    /// A search in the list of processes finds the search.
    FindsItself { search: RunId },
    /// Nothing is asked that could go wrong.
    Constant { run: RunId },
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(command) = probe.handler().filter(|_| container.may_have_probes()).and_then(exec::read) else {
            continue;
        };
        if let Some(cause) = cause(container, probe, &command) {
            report(cx, sink, container, probe, &command, &cause);
        }
    }
}

fn cause(container: &Container, probe: &Probe, command: &Command<'_>) -> Option<Cause> {
    let runs = command.exec.runs();
    if !command.exec.understood() {
        return None;
    }
    let timeout = probe.effective(Timing::Timeout).and_then(|timeout| u64::try_from(timeout.value).ok());
    if command.exec.always_succeeds() {
        return thrown_away(command).or_else(|| last_word(command, timeout));
    }
    let deciding: Vec<RunId> = (0..runs.len()).filter(|&id| decides(&runs[id])).collect();
    let is_hopeless = |&id: &RunId| {
        let run = &runs[id];
        !run.negated
            && (constant::cannot_fail(run, timeout)
                || (constant::is_filter(run) && producer(runs, id).is_some())
                || finds_itself(container, command, id))
    };
    if deciding.is_empty()
        || !deciding.iter().all(is_hopeless)
        || runs.iter().any(|run| run.decides == Decides::Unknown)
    {
        return None;
    }
    // The most telling one first: what is asked in vain, then what asks nothing.
    let search = deciding.iter().find(|&&id| finds_itself(container, command, id));
    if let Some(&search) = search {
        return Some(Cause::FindsItself { search });
    }
    let filtered = deciding.iter().find_map(|&last| Some((last, asked_before(command, last, timeout)?)));
    if let Some((last, asked)) = filtered {
        return Some(Cause::Filter { asked, last });
    }
    let run = *deciding.last()?;
    // `echo ok | tee /data/probe` tests whether the disk can be written.
    let writes = runs.iter().any(constant::opens_file) || runs[run].program().is_some_and(|name| name == "tee");
    (!writes).then_some(Cause::Constant { run })
}

/// A command whose failure matters, and that is more than the frame of others.
fn decides(run: &Run) -> bool {
    run.decides == Decides::Yes && run.script.is_none() && !run.words.is_empty()
}

/// The first program that could fail, of a command that ends well whatever it does.
fn thrown_away(command: &Command<'_>) -> Option<Cause> {
    let runs = command.exec.runs();
    command.exec.programs().find_map(|(asked, run)| {
        let ignored = run.ignored.filter(|ignored| ignored.by != IgnoredBy::Constant)?;
        let is_asked = !constant::cannot_fail(run, None) && !is_preparation(run);
        let mut by = ignored.run.filter(|&by| !runs[by].words.is_empty() || !runs[by].assignments.is_empty());
        if ignored.by == IgnoredBy::Alternative {
            // Of `asked && echo yes || echo no` it is the last one that takes over.
            by = command.exec.programs().map(|(id, _)| id).last().filter(|last| by.is_some_and(|by| by <= *last));
        }
        is_asked.then_some(Cause::Ignored { asked, by, how: ignored.by })
    })
}

/// What changes the shell or waits, and is no question.
fn is_preparation(run: &Run) -> bool {
    run.keyword
        || run.program().is_none_or(|name| {
            [
                "set", "cd", "export", "unset", "exit", "return", "local", "source", ".", "sleep", "echo", "printf",
                "trap",
            ]
            .contains(&name.as_ref())
        })
}

/// The last command of one that asks nothing: `true`, `exit 0`, `echo ok`. Not where a redirection may fail.
fn last_word(command: &Command<'_>, timeout: Option<u64>) -> Option<Cause> {
    let (run, last) = command.exec.programs().last()?;
    if last.mentions("?")
        && let Some((asked, _)) = command.exec.programs().filter(|(id, _)| *id < run).last()
    {
        return Some(Cause::Ignored { asked, by: Some(run), how: IgnoredBy::Follower });
    }
    // A pause may outlast the probe's timeout.
    if last.program().is_some_and(|name| name == "sleep") && !constant::cannot_fail(last, timeout) {
        return None;
    }
    (!command.exec.runs().iter().any(constant::opens_file)).then_some(Cause::Constant { run })
}

/// The command right before this one in a pipeline.
fn producer(runs: &[Run], last: RunId) -> Option<RunId> {
    runs.iter().rposition(|run| run.output == Output::Pipe(last) && run.script.is_none())
}

/// The first program of the pipeline that ends in `last` whose failure is lost there.
fn asked_before(command: &Command<'_>, last: RunId, timeout: Option<u64>) -> Option<RunId> {
    let runs = command.exec.runs();
    command.exec.programs().find_map(|(id, run)| {
        let feeds = id != last && command.exec.readers(id).contains(&last);
        (feeds && !is_preparation(run) && !constant::cannot_fail(run, timeout) && runs[id].decides == Decides::No)
            .then_some(id)
    })
}

/// `ps aux | grep NAME`, which lists itself, and `pgrep -f NAME` in a script, whose shell has NAME in its own command
/// line. A `[N]AME` or a `grep -v grep` keeps them apart.
fn finds_itself(container: &Container, command: &Command<'_>, search: RunId) -> bool {
    let runs = command.exec.runs();
    let Some(run) = runs.get(search) else { return false };
    let program = run.program().unwrap_or_default();
    if program == "pgrep" {
        let words: Option<Vec<_>> = run.words.iter().skip(1).map(Word::text).collect();
        let Some(words) = words else { return false };
        let options: Vec<&str> = words.iter().map(AsRef::as_ref).filter(|word: &&str| word.starts_with('-')).collect();
        // A shell with nothing else to do hands its process over to the only command.
        let stays = runs.iter().filter(|run| run.script.is_none() && !run.words.is_empty()).count() > 1;
        let pattern = words.iter().find(|word| !word.starts_with('-'));
        return run.read_by_shell
            && stays
            && !run.replaces_shell
            && options.iter().all(|option| ["-f", "-fl", "-lf", "-fa", "-af"].contains(option))
            && !options.is_empty()
            && pattern.is_some_and(|pattern| is_plain(pattern))
            && words.len() == options.len() + 1;
    }
    let mut at = search;
    loop {
        let Some(run) = runs.get(at).filter(|run| is_plain_grep(run)) else { return false };
        let Some(before) = producer(runs, at) else { return false };
        let is_busybox =
            container.image.value().is_some_and(|image| image.contains("alpine") || image.contains("busybox"));
        if constant::lists_command_lines(&runs[before], is_busybox) {
            return run.read_by_shell;
        }
        at = before;
    }
}

/// A `grep` for a text that its own command line holds.
fn is_plain_grep(run: &Run) -> bool {
    let program = run.program().unwrap_or_default();
    let words: Option<Vec<_>> = run.words.iter().skip(1).map(Word::text).collect();
    let Some(words) = words.filter(|_| ["grep", "egrep", "fgrep"].contains(&program.as_ref())) else { return false };
    let mut patterns = words.iter().filter(|word| !word.starts_with('-'));
    let options_are_plain = words
        .iter()
        .filter(|word| word.starts_with('-'))
        .all(|word| word.trim_start_matches('-').chars().all(|letter| "qicEFsae".contains(letter)));
    options_are_plain && patterns.next().is_some_and(|pattern| is_plain(pattern)) && patterns.next().is_none()
}

/// Whether a pattern matches its own text.
fn is_plain(pattern: &str) -> bool {
    !pattern.is_empty() && !pattern.contains(['[', '^', '$', '\\', '+', '{', '(', '?'])
}

fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    command: &Command<'_>,
    cause: &Cause,
) {
    let who = words::probe(cx.workload, container, probe);
    let fate = words::fate_of_passing(probe.kind);
    let runs = command.exec.runs();
    let place = |id: RunId| command.span(runs[id].place);
    let name = |id: RunId| runs[id].program().unwrap_or_default().into_owned();
    let mut label = None;
    let mut fix = None;
    let (at, message, why, help) = match *cause {
        Cause::Ignored { asked, by, how } => {
            let by = by.filter(|&by| by != asked);
            if by.is_some() {
                label = Some((place(asked), "this is what could fail"));
            }
            fix = by.and_then(|by| without(command, asked, by));
            let asked_name = name(asked);
            let taker = by.map(|by| shown(&runs[by]));
            (
                by.map_or_else(|| place(asked), place),
                format!("{who} succeeds even when `{asked_name}` fails"),
                format!("{}: {fate}", how_ignored(how, taker.as_deref())),
                match (&taker, how) {
                    (Some(taker), IgnoredBy::Alternative | IgnoredBy::Follower) => {
                        format!("leave `{taker}` out, so that the exit status of `{asked_name}` decides")
                    }
                    (_, IgnoredBy::Branches) => "end one of the branches with `exit 1`".to_owned(),
                    _ => format!("let the exit status of `{asked_name}` decide"),
                },
            )
        }
        Cause::Filter { asked, last } => {
            label = Some((place(asked), "this is what could fail"));
            (
                place(last),
                format!("{who} succeeds even when `{}` fails", name(asked)),
                format!(
                    "a pipeline has the exit status of its last command, and `{}` succeeds whatever it reads: {fate}",
                    name(last)
                ),
                format!("leave `{}` out, or end with a command that judges the text, such as `grep -q`", name(last)),
            )
        }
        Cause::FindsItself { search } => {
            let pattern = runs[search].words.iter().skip(1).filter_map(Word::text).find(|word| !word.starts_with('-'));
            let pattern = pattern.unwrap_or_default();
            let help = bracketed(&pattern).map_or_else(
                || "ask the process itself whether it works".to_owned(),
                |pattern| {
                    format!("write `{pattern}`, which does not match itself, or ask the process whether it works")
                },
            );
            (
                place(search),
                format!("{who} always finds a process `{pattern}`: its own `{}`", name(search)),
                format!("the command that searches has the text in its command line, so it finds itself: {fate}"),
                help,
            )
        }
        Cause::Constant { run } => (
            place(run),
            format!("{who} runs `{}`, which cannot fail while the container runs", shown(&runs[run])),
            format!("it looks at nothing that breaks when the process does: {fate}"),
            "ask the process whether it works, over the network or with its own client; without such a question leave \
             the probe out"
                .to_owned(),
        ),
    };
    let report = sink.probe(container, probe, "exec.command", at, message).why(why).help(help).fix(fix);
    if let Some((span, text)) = label {
        report.label(span, text);
    }
}

fn how_ignored(how: IgnoredBy, taker: Option<&str>) -> String {
    match (how, taker) {
        (IgnoredBy::Alternative, Some(taker)) => format!("`{taker}` takes its place when it fails"),
        (IgnoredBy::Pipe, Some(taker)) => {
            format!("a pipeline has the exit status of its last command, and `{taker}` always succeeds")
        }
        (IgnoredBy::Substitution, Some(taker)) => {
            format!("the exit status of a command in `$(...)` is lost, and `{taker}` has its own")
        }
        (IgnoredBy::Background, _) => "nobody waits for what runs in the background".to_owned(),
        (IgnoredBy::Branches, _) => "all branches end with success".to_owned(),
        (_, Some(taker)) => format!("the exit status is that of the last command, `{taker}`"),
        (_, None) => "its exit status is thrown away".to_owned(),
    }
}

/// Cuts off `|| true`, `; exit 0` and their like at the end of a script.
fn without(command: &Command<'_>, asked: RunId, by: RunId) -> Option<Fix> {
    let taker = command.exec.runs().get(by)?;
    let (asked, by) = (command.exec.runs().get(asked)?.place, taker.place);
    let arg = command.args.get(by.arg as usize).filter(|arg| arg.is_exact() && by.arg == asked.arg)?;
    let between = arg.text.get(asked.span.end as usize..by.span.start as usize)?;
    // Redirections stand behind the words of a command, and stay.
    let joint = between.trim_end();
    let redirections = joint.strip_suffix("||").or_else(|| joint.strip_suffix(';'))?.trim_end();
    if redirections.contains(['|', ';', '\n', '(', ')']) || redirections.contains("&&") {
        return None;
    }
    arg.text.get(by.span.end as usize..)?.trim().is_empty().then_some(())?;
    let from = asked.span.end as usize + redirections.len();
    let span = arg.span_of(from, by.span.end as usize);
    Some(Fix::risky(format!("leave `{}` out", shown(taker)), vec![edit::replace(span, "")]))
}

/// The words of a command in one line, cut where it is long.
fn shown(run: &Run) -> String {
    let line = run.words.iter().map(|word| Value::of(word).shown()).collect::<Vec<_>>().join(" ");
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", line[..end].trim_end()),
        None => line,
    }
}

/// `nginx` as `[n]ginx`.
fn bracketed(pattern: &str) -> Option<String> {
    let first = pattern.chars().next().filter(char::is_ascii_alphanumeric)?;
    Some(format!("[{first}]{}", &pattern[first.len_utf8()..]))
}
