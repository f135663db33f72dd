//! One command that runs, and what becomes of its exit status and its output.

use std::borrow::Cow;

use super::place::Place;
use super::reader::Assignment;
use super::script::{Redirect, RunId, Script};
use super::word::Word;

/// A simple command, without the wrappers (`timeout 5`, `exec`, `busybox`, ...) in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Program and arguments. Empty for a command that only assigns or redirects.
    pub words: Vec<Word>,
    /// The words of wrappers, in the order of the text.
    pub wrapped_in: Vec<Word>,
    /// `NAME=value` in front of the program, also behind `env`.
    pub assignments: Vec<Assignment>,
    /// In the order of the text.
    pub redirects: Vec<Redirect>,
    /// From the first word to the last, wrappers included.
    pub place: Place,
    /// Whether this is no program but a construct of the shell: `[[`, `((`, the head of `for` or `case`.
    pub keyword: bool,
    /// Whether a shell reads the words; if not, `$NAME`, quotes and operators in them are plain text.
    pub read_by_shell: bool,
    /// The script, when the command is a shell that is given one (`sh -c`, `su -c`). Its commands are runs as well.
    pub script: Option<Script>,
    /// The shell's own options, with the script.
    pub shell: Option<Shell>,
    /// The time limit of a `timeout` in front.
    pub limit: Option<TimeLimit>,
    /// Whether it runs in another namespace or root directory (`nsenter`, `chroot`).
    pub elsewhere: bool,
    /// Whether `exec` puts it in the place of the shell, so that nothing behind it runs.
    pub replaces_shell: bool,
    /// Whether its exit status can make the difference between a passed and a failed probe.
    pub decides: Decides,
    /// Why it does not, if it does not.
    pub ignored: Option<Ignored>,
    /// Whether success and failure are swapped by `!` on the way to the outcome.
    pub negated: bool,
    /// Whether it stands in the condition of `if`, `elif`, `while` or `until`.
    pub in_condition: bool,
    /// Where its standard output goes.
    pub output: Output,
}

/// Whether an exit status decides the outcome of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// There is a case in which failing instead of succeeding changes the outcome.
    Yes,
    /// It never changes the outcome.
    No,
    /// The script was not understood, or loops.
    Unknown,
}

/// Why an exit status is thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// How.
    pub by: IgnoredBy,
    /// The command that takes its place, if there is one: the `true` of `|| true`, the last stage of a pipeline, the
    /// next command, the command around a substitution.
    pub run: Option<RunId>,
}

/// How an exit status is thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredBy {
    /// `|| true`, or any `&&`/`||` after which both ways lead to the same end.
    Alternative,
    /// Another command follows and `set -e` is off.
    Follower,
    /// It is not the last stage of a pipeline and `pipefail` is off.
    Pipe,
    /// `&`.
    Background,
    /// It runs inside `$(...)` or backquotes of a command that has a status of its own.
    Substitution,
    /// All branches behind the condition end alike.
    Branches,
    /// It ends the same way every time (`true`, `echo`), or the script does from here on (`exit 1` follows).
    Constant,
}

/// Where standard output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// To the kubelet, which shows it in an event when the probe fails.
    Kubelet,
    /// Into the next stage of a pipeline, whose first command is named.
    Pipe(RunId),
    /// Into a word of the named command.
    Word(RunId),
    /// Into a file.
    File,
    /// To `/dev/null` or a closed descriptor.
    Nowhere,
}

/// Options of a shell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shell {
    /// `-e`, `-o errexit`.
    pub exits_on_error: bool,
    /// `-o pipefail`.
    pub pipefail: bool,
    /// How many words follow the script; they become `$0`, `$1`, ... and are not part of it.
    pub extra: usize,
}

/// The limit of `timeout N`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLimit {
    /// `None` when it is not a literal; 0 means no limit.
    pub seconds: Option<f64>,
    /// The word with the number.
    pub place: Place,
}

impl Run {
    pub(super) const fn begin(place: Place) -> Self {
        Self {
            words: Vec::new(),
            wrapped_in: Vec::new(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            place,
            keyword: false,
            read_by_shell: false,
            script: None,
            shell: None,
            limit: None,
            elsewhere: false,
            replaces_shell: false,
            decides: Decides::Unknown,
            ignored: None,
            negated: false,
            in_condition: false,
            output: Output::Kubelet,
        }
    }

    pub(super) fn has_prefix(&self) -> bool {
        !self.assignments.is_empty() || !self.redirects.is_empty()
    }

    /// The name of the program without its directory: `nc` for `/usr/bin/nc` and for `busybox nc`.
    pub fn program(&self) -> Option<Cow<'_, str>> {
        self.words.first().and_then(program_name)
    }

    /// The word that names the program.
    pub fn program_word(&self) -> Option<&Word> {
        self.words.first()
    }

    /// Where an option can be added: right behind the program's name.
    pub fn after_program(&self) -> Option<Place> {
        self.words.first().map(|word| word.place.after())
    }

    /// How many leading words spell `name`, which may be several words (`python -m celery`). The program may carry a
    /// version (`python3.12`) or the ending `.sh`.
    pub fn spells(&self, name: &str) -> Option<usize> {
        let mut wanted = name.split(' ');
        let program = self.program()?;
        let first = wanted.next()?;
        let bare = program.strip_suffix(".sh").unwrap_or(&program);
        let version_is_extra =
            bare.strip_prefix(first).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
        if !version_is_extra {
            return None;
        }
        let mut used = 1;
        for word in wanted {
            if !self.words.get(used)?.is(word) {
                return None;
            }
            used += 1;
        }
        Some(used)
    }

    /// Whether a word of it mentions the variable.
    pub fn mentions(&self, name: &str) -> bool {
        self.words.iter().any(|word| word.mentions(name))
            || self.assignments.iter().any(|assignment| assignment.value.mentions(name))
    }
}

/// The last component of a path.
pub(super) fn program_name(word: &Word) -> Option<Cow<'_, str>> {
    Some(match word.text()? {
        Cow::Borrowed(text) => Cow::Borrowed(base(text)),
        Cow::Owned(text) => Cow::Owned(base(&text).to_owned()),
    })
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
