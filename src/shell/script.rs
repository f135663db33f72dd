//! The tree of a shell script. Commands themselves lie in one list, in the order of the text, and the tree points at
//! them by number.

use super::place::Place;
use super::word::Word;

/// Number of a [`super::Run`] in its [`super::Exec`].
pub type RunId = usize;

/// Commands one after another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// In the order of the text.
    pub items: Vec<Item>,
}

/// Pipelines joined by `&&` and `||`, up to a `;`, a `&` or the end of the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The first one has [`Joint::First`].
    pub pipelines: Vec<(Joint, Pipeline)>,
    /// Whether a `&` follows, so that nobody waits for it.
    pub background: bool,
}

/// What stands before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// Nothing.
    First,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Whether an odd number of `!` stands in front.
    pub negated: bool,
    /// At least one.
    pub stages: Vec<Stage>,
}

/// One command of a pipeline, simple or compound.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The command.
    pub node: Node,
    /// Redirections behind a compound command; those of a simple one belong to its run.
    pub redirects: Vec<Redirect>,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A simple command, `[[ ... ]]` or `((...))`.
    Run(RunId),
    /// `{ ... }`.
    Group(Script),
    /// `( ... )`.
    Subshell(Script),
    /// `if` and every `elif` with its condition and body, then `else`.
    If {
        /// (condition, body).
        branches: Vec<(Script, Script)>,
        /// The `else`.
        otherwise: Option<Script>,
    },
    /// `while` or `until`.
    Loop {
        /// What is asked before each round.
        condition: Script,
        /// What is done in each round.
        body: Script,
        /// Whether it goes on while the condition fails.
        until: bool,
    },
    /// `for` (and `select`): the head is a run of kind keyword with the words of the list.
    For {
        /// `for NAME in WORD...`.
        head: RunId,
        /// What is done for each word.
        body: Script,
    },
    /// `case`: the head is a run of kind keyword with the subject and all patterns.
    Case {
        /// `case WORD PATTERN...`.
        head: RunId,
        /// One script an arm.
        arms: Vec<Script>,
    },
    /// A function definition: runs nothing by itself.
    Function {
        /// Its name.
        name: String,
        /// What a call runs.
        body: Box<Stage>,
        /// The runs inside: first, and one past the last.
        runs: (RunId, RunId),
    },
}

/// A redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// The descriptor in front, if one is written.
    pub descriptor: Option<u32>,
    /// The operator.
    pub kind: RedirectKind,
    /// File, descriptor, or the delimiter of a here-document.
    pub target: Word,
    /// Operator and target.
    pub place: Place,
}

/// The operator of a redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`, and `<&` with a descriptor.
    Read,
    /// `>`, `>|` and `>>`.
    Write,
    /// `<>`.
    ReadWrite,
    /// `>&` with a descriptor.
    Duplicate,
    /// `&>`, `&>>`, and `>&` with a file.
    WriteBoth,
    /// `<<` and `<<-`.
    HereDocument,
    /// `<<<`.
    HereString,
}
