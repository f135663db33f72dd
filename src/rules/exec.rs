//! An exec command as a shell would read it, and the way from its words back to the file.

use crate::knowledge;
use crate::model::{Action, Arg, Handler};
use crate::shell::{self, Call, Decides, Exec, Place, RunId};
use crate::span::Span;

/// A command with the elements it was written as.
pub(super) struct Command<'m> {
    /// Elements of `exec.command`.
    pub(super) args: &'m [Arg],
    /// Bytes of the whole list.
    pub(super) at: Span,
    /// The command taken apart.
    pub(super) exec: Exec,
}

/// Reads the command of a handler; `None` for other handlers, and when an element is no text or only a template for one.
pub(super) fn read(handler: &Handler) -> Option<Command<'_>> {
    let Action::Exec(command) = &handler.action else { return None };
    let (args, at) = command.spanned()?;
    if args.iter().any(|arg| arg.wrong.is_some() || arg.text.contains("{{")) {
        return None;
    }
    let words: Vec<shell::Arg<'_>> = args.iter().map(|arg| shell::Arg { text: &arg.text }).collect();
    Some(Command { args, at, exec: shell::read(&words) })
}

impl Command<'_> {
    /// The bytes of a place in the file.
    pub(super) fn span(&self, place: Place) -> Span {
        match self.args.get(place.arg as usize) {
            Some(arg) => arg.span_of(place.span.start as usize, place.span.end as usize),
            None => self.at,
        }
    }

    /// The program in it that takes longest to start, if one is known to take its time.
    pub(super) fn slowest_client(&self) -> Option<Call<'_>> {
        let calls = self.exec.calls(knowledge::clients()).into_iter();
        calls.filter(|call| call.client.minimum_timeout.is_some()).max_by_key(|call| call.client.minimum_timeout)
    }

    /// Whether a command of it decides the outcome, itself or through those that read what it prints.
    pub(super) fn decides(&self, id: RunId) -> bool {
        let yes = |id: RunId| self.exec.runs().get(id).is_some_and(|run| run.decides == Decides::Yes);
        yes(id) || self.exec.readers(id).into_iter().any(yes)
    }
}
