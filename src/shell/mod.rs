//! Reads `exec.command` of a probe as the kubelet, and then a shell, would: which programs run, what their words are,
//! whom they talk to, and whether their exit status decides the outcome.
//!
//! [`read`] takes the decoded elements and gives an [`Exec`]: a flat list of [`Run`]s in the order of the text and the
//! tree they came from. [`Exec::calls`] matches runs with rows of the client table and answers questions about them.
//! Nothing here fails: what is not understood makes answers `Unknown` and [`Exec::understood`] false. Places are
//! (element, byte range) and are mapped on to the source file by the caller.

mod client;
mod curl;
mod misread;
mod outcome;
mod pause;
mod place;
mod reader;
mod run;
mod script;
mod target;
mod word;
mod wrapper;

use std::collections::{HashMap, HashSet};

pub use client::{
    About, Ask, Client, FirstStart, Form, Given, GivenOption, Kind, Limit, Options, Reply, Runtime, Scope, Spelling,
};
pub use curl::{Answer, HttpClient};
pub use misread::{Misread, MisreadKind};
pub use outcome::Ends;
pub use pause::Pause;
pub use place::{Place, Reference};
pub use reader::Assignment;
pub use run::{Decides, Ignored, IgnoredBy, Output, Run, Shell, TimeLimit};
pub use script::{Item, Joint, Node, Pipeline, Redirect, RedirectKind, RunId, Script, Stage};
pub use target::{Peer, PeerVariable, Target};
pub use word::{Expander, Part, Value, Variable, Word};

/// One element of `exec.command`.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a> {
    /// The value after YAML decoding.
    pub text: &'a str,
}

/// A command that was read.
#[derive(Clone, Debug)]
pub struct Exec {
    runs: Vec<Run>,
    script: Script,
    ends: Ends,
    understood: bool,
    references: Vec<Reference>,
    misread: Vec<Misread>,
    /// Values that the scripts give to each variable.
    assigned: HashMap<String, Vec<Word>>,
    /// Runs that mention each variable that is assigned.
    mentions: HashMap<String, Vec<RunId>>,
}

/// How many readers of one output are followed, so that asking every run stays linear.
const MAX_READERS: usize = 64;

/// Reads the elements of `exec.command`.
pub fn read(argv: &[Arg<'_>]) -> Exec {
    let mut reading = reader::Reading::default();
    let mut references = Vec::new();
    let mut words = Vec::with_capacity(argv.len());
    for (index, arg) in argv.iter().enumerate() {
        let (text, found) = place::after_kubelet(index as u32, arg.text);
        words.push(plain_word(&text, arg.text.len(), &found));
        references.extend(found);
    }
    let place = match (words.first(), words.last()) {
        (Some(first), Some(_)) => first.place,
        _ => Place::default(),
    };
    let mut first = Run::begin(place);
    first.words = words.clone();
    reading.runs.push(first);
    wrapper::unwrap(&mut reading, 0);
    let stage = Stage { node: Node::Run(0), redirects: Vec::new() };
    let pipeline = Pipeline { negated: false, stages: vec![stage] };
    let script = Script { items: vec![Item { pipelines: vec![(Joint::First, pipeline)], background: false }] };
    let mut runs = reading.runs;
    let mut ends = outcome::judge(&script, &mut runs);
    // Code that is not in the text, or that runs at the end, can turn every status round.
    let runs_program = |names: &[&str]| {
        let names_it =
            |run: &Run| run.read_by_shell && run.program().is_some_and(|name| names.contains(&name.as_ref()));
        runs.iter().any(names_it)
    };
    let understood = !reading.gave_up && !runs_program(&["eval", "trap"]);
    // A sourced file may switch on `set -e`, and `PIPESTATUS` looks at every stage.
    let may_look_back = runs_program(&[".", "source"]) || runs.iter().any(|run| run.mentions("PIPESTATUS"));
    if may_look_back {
        for run in &mut runs {
            if run.ignored.is_some_and(|ignored| matches!(ignored.by, IgnoredBy::Pipe | IgnoredBy::Follower)) {
                run.decides = Decides::Unknown;
                run.ignored = None;
            }
        }
        ends.badly = true;
    }
    if !understood {
        for run in &mut runs {
            run.decides = Decides::Unknown;
            run.ignored = None;
        }
        ends = Ends { well: true, badly: true };
    }
    let misread = misread::find(&words, &runs);
    let assigned = collect_assignments(&runs);
    let mentions = collect_mentions(&runs, &assigned);
    Exec { runs, script, ends, understood, references, misread, assigned, mentions }
}

/// An element that no shell reads: text, and the variables that the kubelet looks up.
fn plain_word(text: &place::Text<'_>, length: usize, references: &[Reference]) -> Word {
    let whole = Place { arg: text.arg(), span: crate::span::Span::new(0, length as u32) };
    let mut parts = Vec::new();
    let mut from = 0;
    let literal = |parts: &mut Vec<Part>, from: usize, to: usize| {
        // `$$` has lost a byte, so the text is cut there and every piece is as long as its place.
        let mut start = from;
        for end in text.breaks(from, to) {
            if start < end {
                parts.push(Part::Literal { text: text.text[start..end].to_owned(), place: text.place(start, end) });
            }
            start = end;
        }
    };
    for reference in references {
        let Some(at) = text.find_offset(reference.place.span.start) else {
            continue;
        };
        literal(&mut parts, from, at);
        parts.push(Part::Variable(Variable {
            name: reference.name.clone(),
            default: None,
            altered: false,
            quoted: true,
            by: Expander::Kubelet,
            place: reference.place,
        }));
        from = at + reference.place.span.len() as usize;
    }
    literal(&mut parts, from, text.text.len());
    Word { parts, place: whole, quoted: true }
}

/// What scripts assign: on its own, with `export` and its kin, and as the list of `for`.
fn collect_assignments(runs: &[Run]) -> HashMap<String, Vec<Word>> {
    let mut assigned: HashMap<String, Vec<Word>> = HashMap::new();
    for run in runs {
        let declares = run.read_by_shell
            && matches!(run.program().as_deref(), Some("export" | "local" | "declare" | "readonly" | "typeset"));
        if run.words.is_empty() {
            for assignment in &run.assignments {
                assigned.entry(assignment.name.clone()).or_default().push(assignment.value.clone());
            }
        }
        if run.keyword && run.words.first().is_some_and(|word| word.is("for")) {
            let name = run.words.get(1).and_then(Word::text).unwrap_or_default();
            let values = run.words.iter().skip(3).cloned();
            assigned.entry(name.into_owned()).or_default().extend(values);
        }
        if declares {
            for assignment in run.words.iter().skip(1).filter_map(Assignment::cut) {
                assigned.entry(assignment.name).or_default().push(assignment.value);
            }
        }
    }
    assigned
}

/// Which runs use the variables that are assigned.
fn collect_mentions(runs: &[Run], assigned: &HashMap<String, Vec<Word>>) -> HashMap<String, Vec<RunId>> {
    let mut mentions: HashMap<String, Vec<RunId>> = HashMap::new();
    if assigned.is_empty() {
        return mentions;
    }
    for (id, run) in runs.iter().enumerate() {
        let values = run.assignments.iter().map(|assignment| &assignment.value);
        for variable in run.words.iter().chain(values).flat_map(Word::variables) {
            if !assigned.contains_key(&variable.name) {
                continue;
            }
            let users = mentions.entry(variable.name.clone()).or_default();
            if users.last() != Some(&id) && users.len() < MAX_READERS {
                users.push(id);
            }
        }
    }
    mentions
}

impl Exec {
    /// Every command, in the order in which they begin in the text. The first is the argv itself; when that is a shell
    /// with a script, the commands of the script follow.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The commands that are programs doing something of their own: no keywords, no bare assignments, no shells whose
    /// script was read.
    pub fn programs(&self) -> impl Iterator<Item = (RunId, &Run)> {
        self.runs.iter().enumerate().filter(|(_, run)| !run.keyword && !run.words.is_empty() && run.script.is_none())
    }

    /// The tree whose leaves are the runs.
    pub const fn script(&self) -> &Script {
        &self.script
    }

    /// How the command can end, if every program may succeed or fail.
    pub const fn ends(&self) -> Ends {
        self.ends
    }

    /// Whether it ends with exit status 0 whatever its programs do.
    pub const fn always_succeeds(&self) -> bool {
        self.ends.well && !self.ends.badly
    }

    /// Whether all of it was understood; `eval` and `trap` are not. If not, no status is said to decide or to be ignored.
    pub const fn understood(&self) -> bool {
        self.understood
    }

    /// Every `$(NAME)` with a legal variable name: the kubelet replaces it when the container has a static `env` value
    /// of that name. If not, it stays as text, and in a script it is then a command substitution.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Shell syntax that no shell reads.
    pub fn misread(&self) -> &[Misread] {
        &self.misread
    }

    /// The values that the scripts give to a variable.
    pub(crate) fn assigned(&self, name: &str) -> &[Word] {
        self.assigned.get(name).map_or(&[], Vec::as_slice)
    }

    /// The commands that read the standard output of a run, directly or through others: later stages of its pipeline,
    /// the command whose word it is substituted into, and commands that use the variable it is stored in. At most a few
    /// dozen.
    pub fn readers(&self, run: RunId) -> Vec<RunId> {
        let mut seen = HashSet::from([run]);
        let mut found = Vec::new();
        let mut todo = vec![run];
        while let Some(id) = todo.pop().filter(|_| found.len() < MAX_READERS) {
            let direct = match self.runs.get(id).map(|run| run.output) {
                Some(Output::Pipe(next)) => vec![next],
                Some(Output::Word(by)) => self.word_readers(by),
                _ => continue,
            };
            for reader in direct {
                if seen.insert(reader) {
                    found.push(reader);
                    todo.push(reader);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Who reads a word of `by`: itself, or whoever uses the variable it assigns.
    fn word_readers(&self, by: RunId) -> Vec<RunId> {
        let Some(holder) = self.runs.get(by) else {
            return Vec::new();
        };
        let mut names: Vec<String> = Vec::new();
        if holder.words.is_empty() {
            names.extend(holder.assignments.iter().map(|assignment| assignment.name.clone()));
        } else if matches!(holder.program().as_deref(), Some("export" | "local" | "declare" | "readonly" | "typeset")) {
            names.extend(holder.words.iter().skip(1).filter_map(Assignment::cut).map(|assignment| assignment.name));
        } else {
            return vec![by];
        }
        let users = names.iter().filter_map(|name| self.mentions.get(name));
        users.flatten().copied().filter(|id| *id != by).collect()
    }

    /// Whether some reader of the output of a run has `text` in one of its words, as `grep PONG` and `[ ... = PONG ]`.
    pub fn looks_for(&self, run: RunId, text: &str) -> bool {
        self.readers(run)
            .into_iter()
            .filter_map(|reader| self.runs.get(reader))
            .any(|reader| reader.words.iter().any(|word| word.holds(text)))
    }

    /// Whether a run, or a reader of its output, names the pod it runs in: `$(hostname)`, `$POD_IP`, or one of
    /// `variables`.
    pub fn names_own_pod(&self, run: RunId, variables: &[&str]) -> bool {
        let mut asked = self.readers(run);
        asked.push(run);
        let mut runs = asked.iter().filter_map(|&id| self.runs.get(id));
        runs.any(|run| target::OWN_POD.iter().chain(variables).any(|name| run.mentions(name)))
            || self.runs.iter().enumerate().any(|(id, run)| {
                run.program().is_some_and(|program| program == "hostname")
                    && self.readers(id).iter().any(|reader| asked.contains(reader))
            })
    }

    /// The targets of `/dev/tcp/HOST/PORT` in the redirections of a run.
    pub fn device_targets(&self, run: &Run) -> Vec<Target> {
        target::device_targets(self, run)
    }

    /// The runs whose program has a row in the table.
    pub fn calls<'e>(&'e self, clients: &'e [Client]) -> Vec<Call<'e>> {
        let mut calls = Vec::new();
        for (id, run) in self.programs() {
            let row = clients
                .iter()
                .filter_map(|client| client.named_by(run).map(|used| (used, client)))
                .max_by_key(|(used, _)| *used);
            if let Some((used, client)) = row {
                let given = Given::read(run, used, &client.options);
                calls.push(Call { exec: self, id, run, client, given });
            }
        }
        calls
    }
}

/// A run of a program that the table knows.
#[derive(Clone, Debug)]
pub struct Call<'e> {
    exec: &'e Exec,
    /// Its number in [`Exec::runs`].
    pub id: RunId,
    /// The command.
    pub run: &'e Run,
    /// The row.
    pub client: &'e Client,
    /// Its options and other words.
    pub given: Given<'e>,
}

/// A time limit or a pause that a call carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// `None` when the value is not a literal number.
    pub seconds: Option<f64>,
    /// What it limits.
    pub scope: Scope,
    /// The value, or the program's name for a default that is not written.
    pub place: Place,
    /// Whether it is written.
    pub written: bool,
}

impl<'e> Call<'e> {
    /// Whom the program talks to: one target for each address it is given, or one for the default.
    pub fn targets(&self) -> Vec<Target> {
        let place = self.run.program_word().map_or(self.run.place, |word| word.place);
        let ports: Vec<String> = self
            .client
            .port
            .iter()
            .flat_map(|spelling| self.given.named(spelling))
            .map(Value::shown)
            .filter(|port| !port.is_empty() && !port.starts_with('-'))
            .collect();
        let mut targets: Vec<Target> = Vec::new();
        for spelling in &self.client.host {
            for value in self.given.named(spelling) {
                targets.extend(target::addresses(self.exec, value, spelling.form));
            }
        }
        if targets.is_empty() && !self.given.unsure {
            targets = self.environment_targets();
        }
        if targets.is_empty() {
            let names = self.client.host.iter().flat_map(|spelling| spelling.environment.iter().cloned()).collect();
            let cannot_tell = self.given.unsure || self.client.default_elsewhere;
            let peer = if cannot_tell { Peer::Unknown } else { Peer::Default(names) };
            targets.push(Target {
                peer,
                port: None,
                scheme: None,
                path: None,
                path_place: None,
                place,
                may_be_no_address: false,
            });
        }
        for target in &mut targets {
            if target.port.is_none() {
                target.port = ports.first().cloned();
            }
        }
        targets
    }

    /// The targets that variables set in the command itself name (`PGHOST=db psql`, `export PGHOST=db`).
    fn environment_targets(&self) -> Vec<Target> {
        for spelling in &self.client.host {
            for name in &spelling.environment {
                let own = self.run.assignments.iter().rev().find(|assignment| assignment.name == *name);
                let value = own.map(|assignment| &assignment.value).or_else(|| self.exec.assigned(name).last());
                if let Some(word) = value {
                    return target::addresses(self.exec, &Value::of(word), spelling.form);
                }
            }
        }
        Vec::new()
    }

    /// The time limits and pauses of the call, the limit of a `timeout` in front first. The default of the program
    /// stands in for each limit that is not written.
    pub fn waits(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        if let Some(limit) = self.run.limit {
            waits.push(Wait { seconds: limit.seconds, scope: Scope::Total, place: limit.place, written: true });
        }
        for limit in &self.client.timeout {
            let written: Vec<_> = self.given.named(&limit.at);
            for value in &written {
                let bare = value.known().and_then(|text| text.parse::<f64>().ok());
                let seconds =
                    bare.map(|number| number * limit.unit).or_else(|| value.known().and_then(wrapper::seconds));
                waits.push(Wait { seconds, scope: limit.scope, place: value.place(), written: true });
            }
            if let (true, Some(default), Some(word)) = (written.is_empty(), limit.default, self.run.program_word()) {
                waits.push(Wait { seconds: Some(default), scope: limit.scope, place: word.place, written: false });
            }
        }
        waits
    }

    /// How often the program is told to try, when that is a literal number.
    pub fn attempts(&self) -> Option<u32> {
        let mut values = self.client.attempts.iter().flat_map(|spelling| self.given.named(spelling));
        values.next().and_then(Value::known).and_then(|text| text.parse().ok())
    }

    /// The rows of `asks` that this call matches.
    pub fn asks(&self) -> Vec<&'e Ask> {
        let holds = |text: &String| self.run.words.iter().any(|word| word.holds(text));
        self.client
            .asks
            .iter()
            .filter(|ask| has_in_order(self.run, &ask.words))
            .filter(|ask| ask.texts.is_empty() || ask.texts.iter().any(holds))
            .filter(|ask| !ask.unless.iter().any(holds))
            .filter(|ask| ask.read_for.as_ref().is_none_or(|text| self.exec.looks_for(self.id, text)))
            .collect()
    }

    /// Whether an option narrows the question to the process at hand.
    pub fn asks_own(&self, ask: &Ask) -> bool {
        self.given.options.iter().any(|option| ask.own.contains(&option.name))
    }

    /// The row of `replies` that this call matches.
    pub fn reply(&self) -> Option<&'e Reply> {
        self.client.replies.iter().find(|reply| {
            has_in_order(self.run, &reply.words) && !reply.unless.iter().any(|option| self.given.has(option))
        })
    }

    /// Whether some command looks for the answer that `reply` expects.
    pub fn compares_reply(&self, reply: &Reply) -> bool {
        reply.expect.as_ref().is_some_and(|text| self.exec.looks_for(self.id, text))
    }

    /// What curl is told about HTTP errors; nothing for other programs.
    pub fn http_client(&self) -> Option<HttpClient> {
        curl::read(self.exec, self.id, self.run, &self.given)
    }
}

/// Whether the words stand in the run in this order, perhaps with others between.
fn has_in_order(run: &Run, wanted: &[String]) -> bool {
    let mut words = run.words.iter().skip(1);
    wanted.iter().all(|text| words.any(|word| word.is(text)))
}

#[cfg(test)]
mod tests;
