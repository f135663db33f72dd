use super::exec::{self, Command};
use super::{Context, Sink, rewrap, words};
use crate::fix::Fix;
use crate::model::{Container, Probe};
use crate::shell::{Misread, MisreadKind};

/// Characters of a command that a message shows.
const SHOWN: usize = 40;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(command) = probe.handler().filter(|_| container.may_have_probes()).and_then(exec::read) else {
            continue;
        };
        // Variables have a rule of their own.
        let syntax = command.exec.misread().iter().find(|misread| !matches!(misread.kind, MisreadKind::Variable(_)));
        if let Some(misread) = syntax {
            report(cx, sink, container, probe, &command, misread);
        }
    }
}

fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    command: &Command<'_>,
    misread: &Misread,
) {
    let who = words::probe(cx.workload, container, probe);
    let Some(arg) = command.args.get(misread.place.arg as usize) else { return };
    let word = shorten(&arg.text);
    let program = command.exec.runs().first().and_then(|run| run.program()).unwrap_or_default();
    let wrap = || rewrap::in_shell(cx.text, command, &[]).map(|edit| Fix::safe("run it in `sh -c`", vec![edit]));
    let in_shell = "let a shell read it: `[sh, -c, \"...\"]`".to_owned();
    let (message, why, help, fix) = match &misread.kind {
        MisreadKind::WholeLine { needs_shell } => {
            let (help, title, edit) = if *needs_shell {
                (in_shell, "run it in `sh -c`", rewrap::before_line(cx.text, command))
            } else {
                let help = "write each word as an element of its own".to_owned();
                (help, "write one element a word", rewrap::split(cx.text, command))
            };
            let fate = words::fate_of_failing(probe);
            (
                format!("{who} runs a program named `{word}`, for the command is a single element"),
                format!("nothing splits it at the blanks, no file has that name, and each attempt fails: {fate}"),
                help,
                edit.map(|edit| Fix::safe(title, vec![edit])),
            )
        }
        MisreadKind::ExtraWords => {
            let fix = rewrap::into_script(cx.text, command, misread.place.arg as usize)
                .map(|edit| Fix::safe("make it one script", vec![edit]));
            let script = misread.place.arg.checked_sub(1).and_then(|index| command.args.get(index as usize));
            let script = script.map(|script| shorten(&script.text)).unwrap_or_default();
            (
                format!("{who} gives the shell `{word}` behind its script, where it is not run"),
                format!(
                    "the script is the one element behind `-c`, here `{script}`; what follows becomes `$0`, `$1` and \
                         so on, which it does not use"
                ),
                "write the whole script as one element".to_owned(),
                fix,
            )
        }
        MisreadKind::Quotes => (
            format!("{who} passes {word} to `{program}` with the quotes"),
            "no shell takes them off: the program looks for a name, a host or an option that begins with a quote"
                .to_owned(),
            "leave the inner quotes out; YAML has its own".to_owned(),
            None,
        ),
        MisreadKind::Pattern => (
            format!("{who} passes `{word}` to `{program}` as the name of a file"),
            format!("no shell looks for files that match, so each attempt fails: {}", words::fate_of_failing(probe)),
            in_shell,
            wrap(),
        ),
        MisreadKind::Operator | MisreadKind::Redirection | MisreadKind::Substitution | MisreadKind::Variable(_) => (
            format!("{who} passes `{word}` to `{program}` as an argument, for no shell reads the command"),
            format!(
                "`{program}` gets it as text, like every word behind it: whether an attempt passes has nothing to do \
                     with what was meant"
            ),
            in_shell,
            wrap(),
        ),
    };
    sink.probe(container, probe, "exec.command", command.span(misread.place), message).why(why).help(help).fix(fix);
}

/// The text in one line, cut where it is long.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHOWN {
        return line;
    }
    let head: String = line.chars().take(SHOWN).collect();
    format!("{}...", head.trim_end())
}
