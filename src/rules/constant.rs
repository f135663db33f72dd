//! Commands that cannot fail while the container runs: they look at nothing that a broken process would change.

use crate::shell::{Part, RedirectKind, Run, Word};

/// Programs that succeed whatever they are told.
const ALWAYS: [&str; 4] = ["true", ":", "echo", "printf"];

/// Programs that succeed when their words are options only.
const WITHOUT_OPERANDS: [&str; 13] =
    ["ls", "dir", "pwd", "date", "hostname", "id", "whoami", "uname", "uptime", "env", "printenv", "free", "nproc"];

/// Options with which such a program asks a name server or sets the clock, and then may fail.
const UNSAFE_OPTIONS: [(&str, &[&str]); 2] = [("hostname", &["-f", "-i", "-d", "-A", "--"]), ("date", &["-s", "--s"])];

/// Options that print a text and end, when they are all that a program is given.
const PRINT_AND_END: [&str; 3] = ["--version", "--help", "-version"];

/// Paths that are there in every Linux container for as long as its first process lives.
const ALWAYS_THERE: [&str; 22] = [
    "/",
    ".",
    "/bin",
    "/usr",
    "/usr/bin",
    "/dev",
    "/dev/null",
    "/etc",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/resolv.conf",
    "/proc",
    "/proc/1",
    "/proc/1/status",
    "/proc/1/stat",
    "/proc/1/cmdline",
    "/proc/cpuinfo",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/uptime",
    "/proc/version",
    "/proc/self/status",
];

/// Programs that succeed when all their operands are such paths.
const READ_PATHS: [&str; 6] = ["ls", "cat", "head", "tail", "stat", "wc"];

/// Programs that succeed whatever they read from a pipe, when they are given no file.
const FILTERS: [&str; 11] = ["cat", "head", "tail", "wc", "sort", "uniq", "tr", "cut", "rev", "nl", "tee"];

/// Filters with a language of their own, and the words of it that may end them badly.
const LANGUAGES: [(&str, &[&str]); 4] =
    [("sed", &["q", "-i"]), ("awk", &["exit", "system"]), ("gawk", &["exit", "system"]), ("mawk", &["exit", "system"])];

/// Whether the command ends with 0 every time. `timeout` is that of the probe in seconds: a pause that outlasts it fails
/// every time.
pub(super) fn cannot_fail(run: &Run, timeout: Option<u64>) -> bool {
    let Some(program) = plain_program(run) else { return false };
    let words = run.words.get(1..).unwrap_or_default();
    if ALWAYS.contains(&program.as_str()) {
        return !words.iter().any(|word| word.parts.iter().any(|part| matches!(part, Part::Substitution { .. })));
    }
    let Some(texts) = texts(words) else { return false };
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    match (program.as_str(), texts.as_slice()) {
        (_, [only]) if PRINT_AND_END.contains(only) => true,
        ("test", [flag, path]) | ("[", [flag, path, "]"]) => {
            ["-d", "-e", "-f", "-r", "-s"].contains(flag) && ALWAYS_THERE.contains(path)
        }
        ("kill", ["-0", "1"]) => true,
        ("ps", words) => words.iter().all(|word| is_list_option(word)),
        ("sleep", [pause]) => {
            pause.parse().is_ok_and(|pause: f64| timeout.is_some_and(|timeout| pause < timeout as f64))
        }
        (name, words) => {
            let mut operands = words.iter().filter(|word| !is_option(word)).peekable();
            if operands.peek().is_some() {
                return READ_PATHS.contains(&name) && operands.all(|path| ALWAYS_THERE.contains(path));
            }
            let refuses = |options: &[&str]| words.iter().any(|word| options.iter().any(|it| word.starts_with(it)));
            WITHOUT_OPERANDS.contains(&name)
                && !UNSAFE_OPTIONS.iter().any(|(program, options)| *program == name && refuses(options))
        }
    }
}

/// Whether the command succeeds whatever it reads from a pipe.
pub(super) fn is_filter(run: &Run) -> bool {
    let Some(program) = plain_program(run) else { return false };
    let Some(texts) = texts(run.words.get(1..).unwrap_or_default()) else { return false };
    if let Some((_, risky)) = LANGUAGES.iter().find(|(name, _)| *name == program) {
        return !texts.iter().any(|text| risky.iter().any(|word| text.contains(word)));
    }
    // A file may be missing, or not be writable. Sets of `tr` are no files.
    let has_file = texts.iter().any(|text| !is_option(text) && text.contains(|c: char| c.is_ascii_alphabetic()));
    FILTERS.contains(&program.as_str()) && (!has_file || program == "tr" || program == "tee")
}

/// Whether it is a `ps` that shows whole command lines, where a search finds the command that searches. The one of
/// busybox always does; others do with `-f` and in the BSD notation.
pub(super) fn lists_command_lines(run: &Run, is_busybox: bool) -> bool {
    let Some(program) = plain_program(run) else { return false };
    let Some(texts) = texts(run.words.get(1..).unwrap_or_default()) else { return false };
    program == "ps"
        && texts.iter().all(|text| is_list_option(text))
        && (is_busybox
            || texts.iter().any(|text| {
                let is_bsd = !text.starts_with('-') && text.contains(['a', 'x']);
                is_bsd || text.contains(['f', 'u'])
            }))
}

/// Whether the command writes a file, or opens a connection: that fails when the disk is full or nobody listens, and may
/// be what is tested. Where the outputs of processes go is no file.
pub(super) fn opens_file(run: &Run) -> bool {
    run.redirects.iter().any(|redirect| {
        let is_open = matches!(
            redirect.kind,
            RedirectKind::Read | RedirectKind::Write | RedirectKind::WriteBoth | RedirectKind::ReadWrite
        );
        let text = redirect.target.text();
        let is_stream = text.as_deref().is_some_and(|text| {
            !text.contains('/') && redirect.kind == RedirectKind::Read
                || ["/dev/null", "/dev/std", "/dev/fd", "/proc/"].iter().any(|prefix| text.starts_with(prefix))
        });
        is_open && !is_stream
    })
}

/// The name of a program that runs as it stands: no keyword, no shell with a script, nothing that limits or redirects it.
fn plain_program(run: &Run) -> Option<String> {
    let is_plain = !run.keyword && run.script.is_none() && !run.elsewhere && run.limit.is_none() && !opens_file(run);
    run.program().filter(|_| is_plain).map(std::borrow::Cow::into_owned)
}

/// The words, when all of them are known.
fn texts(words: &[Word]) -> Option<Vec<std::borrow::Cow<'_, str>>> {
    words.iter().map(Word::text).collect()
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with(['-', '+'])
}

/// `aux`, `-ef`, `-e`: which processes and how, without a choice of columns.
fn is_list_option(text: &str) -> bool {
    let letters = text.trim_start_matches('-');
    !letters.is_empty() && letters.chars().all(|letter| "aAxuewflj".contains(letter))
}
