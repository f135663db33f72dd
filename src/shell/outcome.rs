//! Works out which commands decide the outcome of the probe and where their output goes.
//!
//! Every command is asked: does it matter whether you succeed or fail, if all others may do either? The walk goes
//! backwards. Each node is told where the script goes on when the node succeeds and where when it fails; when both are
//! the same point, its status does not matter. One visit a node, so the cost is linear.

use std::collections::HashMap;

use super::run::{Decides, Ignored, IgnoredBy, Output, Run};
use super::script::{Item, Joint, Node, Pipeline, Redirect, RedirectKind, RunId, Script, Stage};
use super::word::{Part, visit};

/// Calls of functions inside functions that are followed.
const MAX_CALLS: u32 = 16;

/// How the whole command can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// With exit status 0.
    pub well: bool,
    /// With another one.
    pub badly: bool,
}

/// Writes `decides`, `ignored`, `negated`, `in_condition` and `output` of every run; tells how the script can end.
pub(super) fn judge(script: &Script, runs: &mut [Run]) -> Ends {
    let mut functions = HashMap::new();
    collect_functions(script, runs, &mut functions);
    let mut judge = Judge { runs, facts: vec![Facts::default(); runs.len()], functions, points: 2 };
    let passed = Next { point: 0, well: true, badly: false, again: false };
    let failed = Next { point: 1, well: false, badly: true, again: false };
    let done = Frame {
        exit: (passed, failed),
        leave: (passed, failed),
        exits_on_error: false,
        pipefail: false,
        guarded: false,
        round: None,
        negated: false,
        in_condition: false,
        calls: 0,
        known: None,
    };
    let way = Way { success: done.exit.0, failure: done.exit.1, ignored: None };
    let entry = judge.script(script, way, done);
    let mut flow = Flow { runs, outputs: vec![Output::Kubelet; runs.len()] };
    flow.script(script, Output::Kubelet);
    let outputs = flow.outputs;
    let facts = judge.facts;
    for ((run, facts), output) in runs.iter_mut().zip(facts).zip(outputs) {
        run.decides = facts.decides.unwrap_or(Decides::Unknown);
        run.ignored = if run.decides == Decides::No { facts.ignored } else { None };
        run.negated = facts.negated;
        run.in_condition = facts.in_condition;
        run.output = output;
    }
    Ends { well: entry.well, badly: entry.badly }
}

/// A point at which the script goes on, and how it can end from there.
#[derive(Clone, Copy, Debug)]
struct Next {
    /// Equal numbers are the same point. 0 is "ends well", 1 is "ends badly".
    point: u32,
    well: bool,
    badly: bool,
    /// Whether the way leads through another round of a loop.
    again: bool,
}

/// Where a node's status leads.
#[derive(Clone, Copy)]
struct Way {
    success: Next,
    failure: Next,
    /// Who made both the same, when somebody did.
    ignored: Option<Ignored>,
}

/// What holds around a node.
#[derive(Clone, Copy)]
struct Frame {
    /// Where `exit 0` and `exit 1` lead.
    exit: (Next, Next),
    /// Where `return 0` and `return 1` lead.
    leave: (Next, Next),
    exits_on_error: bool,
    pipefail: bool,
    /// Whether `set -e` is suspended: conditions, left sides of `&&` and `||`, `!`.
    guarded: bool,
    /// Where `break` and `continue` lead.
    round: Option<(Next, Next)>,
    negated: bool,
    in_condition: bool,
    calls: u32,
    /// The status of the command before, where the position tells it (`|| exit`, `then exit`).
    known: Option<bool>,
}

#[derive(Clone, Copy, Default)]
struct Facts {
    decides: Option<Decides>,
    ignored: Option<Ignored>,
    negated: bool,
    in_condition: bool,
}

#[derive(Clone, Copy)]
struct Function<'s> {
    body: &'s Stage,
    runs: (RunId, RunId),
    calls: u32,
}

struct Judge<'s> {
    runs: &'s [Run],
    facts: Vec<Facts>,
    functions: HashMap<&'s str, Function<'s>>,
    points: u32,
}

impl<'s> Judge<'s> {
    fn point(&mut self, well: bool, badly: bool, again: bool) -> Next {
        let point = self.points;
        self.points += 1;
        Next { point, well, badly, again }
    }

    /// A new point from which either way may be taken.
    fn either(&mut self, one: Next, other: Next) -> Next {
        self.point(one.well || other.well, one.badly || other.badly, one.again || other.again)
    }

    /// Returns where the script begins.
    fn script(&mut self, script: &'s Script, way: Way, frame: Frame) -> Next {
        let mut settings = Vec::with_capacity(script.items.len());
        let mut current = frame;
        for item in &script.items {
            settings.push((current.exits_on_error, current.pipefail));
            self.read_settings(item, &mut current);
        }
        let last = script.items.len().wrapping_sub(1);
        let mut follow: Option<Next> = None;
        let mut entry = way.success;
        for (index, item) in script.items.iter().enumerate().rev() {
            let (exits_on_error, pipefail) = settings[index];
            let known = if index == 0 { frame.known } else { None };
            let frame = Frame { exits_on_error, pipefail, known, ..frame };
            let (way, fall) = match follow {
                None => (way, way.failure),
                Some(next) => self.before(next, script.items.get(index + 1), frame),
            };
            entry = if item.background {
                let run = script.items.get(index + 1).and_then(first_run);
                let ignored = Some(Ignored { by: IgnoredBy::Background, run });
                let same = if index == last { way.success } else { follow.unwrap_or(way.success) };
                let lost = self.either(same, same);
                self.item(
                    item,
                    Way { success: lost, failure: lost, ignored },
                    lost,
                    Frame { exit: (lost, lost), ..frame },
                );
                same
            } else {
                self.item(item, way, fall, frame)
            };
            follow = Some(entry);
        }
        entry
    }

    /// The way out of an item that another one follows: both to it, unless `set -e` or a look at `$?` tells them apart.
    /// Also says where a failure leads that `set -e` does not catch.
    fn before(&mut self, next: Next, follower: Option<&'s Item>, frame: Frame) -> (Way, Next) {
        let run = follower.and_then(first_run);
        let mut success = next;
        let mut failure = next;
        if let Some(first) = run.map(|run| &self.runs[run]) {
            let leaves = first.program().is_some_and(|name| name == "exit" || name == "return");
            if leaves && (first.words.len() == 1 || first.words.get(1).is_some_and(|word| word.mentions("?"))) {
                let is_exit = first.program().is_some_and(|name| name == "exit");
                (success, failure) = if is_exit { frame.exit } else { frame.leave };
            } else if first.mentions("?") {
                success = self.either(next, next);
                failure = self.either(next, next);
            }
        }
        let fall = failure;
        if frame.exits_on_error && !frame.guarded {
            failure = frame.exit.1;
        }
        let ignored = Some(Ignored { by: IgnoredBy::Follower, run });
        (Way { success, failure, ignored }, fall)
    }

    /// Follows `set -e`, `set +e`, `set -o pipefail` at the level of this script.
    fn read_settings(&self, item: &Item, frame: &mut Frame) {
        for (_, pipeline) in &item.pipelines {
            for stage in &pipeline.stages {
                let Node::Run(run) = stage.node else {
                    continue;
                };
                let run = &self.runs[run];
                if run.program().as_deref() != Some("set") {
                    continue;
                }
                let mut words = run.words.iter().skip(1);
                while let Some(word) = words.next() {
                    let text = word.text().unwrap_or_default();
                    let on = text.starts_with('-');
                    if !on && !text.starts_with('+') {
                        break;
                    }
                    for option in text.chars().skip(1) {
                        match option {
                            'e' => frame.exits_on_error = on,
                            'o' => match words.next().and_then(|word| word.text()).as_deref() {
                                Some("pipefail") => frame.pipefail = on,
                                Some("errexit") => frame.exits_on_error = on,
                                _ => {}
                            },
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    /// `fall` is where a failure leads that is not that of the last pipeline.
    fn item(&mut self, item: &'s Item, way: Way, fall: Next, frame: Frame) -> Next {
        let last = item.pipelines.len().wrapping_sub(1);
        let mut after_success = way.success;
        let mut after_failure = fall;
        let mut successor = None;
        let mut entry = way.success;
        for (index, (joint, pipeline)) in item.pipelines.iter().enumerate().rev() {
            let mut frame = frame;
            frame.known = match joint {
                Joint::First => frame.known,
                Joint::And => Some(true),
                Joint::Or => Some(false),
            };
            let own = if index == last {
                way
            } else {
                frame.guarded = true;
                let ignored = if way.success.point == fall.point {
                    way.ignored
                } else {
                    Some(Ignored { by: IgnoredBy::Alternative, run: successor })
                };
                Way { success: after_success, failure: after_failure, ignored }
            };
            entry = self.pipeline(pipeline, own, frame);
            match joint {
                Joint::Or => after_failure = entry,
                Joint::And => after_success = entry,
                Joint::First => {}
            }
            successor = first_of_pipeline(pipeline);
        }
        entry
    }

    fn pipeline(&mut self, pipeline: &'s Pipeline, mut way: Way, mut frame: Frame) -> Next {
        if pipeline.negated {
            (way.success, way.failure) = (way.failure, way.success);
            frame.negated = !frame.negated;
            frame.guarded = true;
        }
        let last = pipeline.stages.len().wrapping_sub(1);
        if last == 0 {
            return pipeline.stages.first().map_or(way.success, |stage| self.stage(stage, way, frame));
        }
        let mut entry = way.success;
        for (index, stage) in pipeline.stages.iter().enumerate().rev() {
            let own = if index == last {
                way
            } else if frame.pipefail {
                let success = self.either(way.success, way.failure);
                Way { success, failure: way.failure, ignored: way.ignored }
            } else {
                let lost = self.either(way.success, way.failure);
                let run = pipeline.stages.last().and_then(first_of_stage);
                Way { success: lost, failure: lost, ignored: Some(Ignored { by: IgnoredBy::Pipe, run }) }
            };
            // Every stage is a process of its own, which `exit` ends.
            let frame = Frame { exit: (own.success, own.failure), known: None, ..frame };
            let at = self.stage(stage, own, frame);
            if index == last {
                entry = at;
            }
        }
        if frame.pipefail { self.either(way.success, way.failure) } else { entry }
    }

    fn stage(&mut self, stage: &'s Stage, way: Way, frame: Frame) -> Next {
        for redirect in &stage.redirects {
            self.lost_substitutions(&redirect.target.parts, None, frame);
        }
        match &stage.node {
            Node::Run(run) => self.run(*run, way, frame),
            Node::Group(script) => self.script(script, way, frame),
            Node::Subshell(script) => {
                self.script(script, way, Frame { exit: (way.success, way.failure), round: None, ..frame })
            }
            Node::If { branches, otherwise } => {
                let mut rest = match otherwise {
                    Some(script) => self.script(script, way, Frame { known: Some(false), ..frame }),
                    None => way.success,
                };
                for (condition, body) in branches.iter().rev() {
                    let body = self.script(body, way, Frame { known: Some(true), ..frame });
                    let ignored = Some(Ignored { by: IgnoredBy::Branches, run: None });
                    let own = Way { success: body, failure: rest, ignored };
                    rest =
                        self.script(condition, own, Frame { guarded: true, in_condition: true, known: None, ..frame });
                }
                rest
            }
            Node::Loop { condition, body, until } => {
                let (again, failed) = self.round(way);
                let round = Some((way.success, again));
                let inner = Way { success: again, failure: failed, ignored: way.ignored };
                let body = self.script(body, inner, Frame { round, known: None, ..frame });
                let (success, failure) = if *until { (way.success, body) } else { (body, way.success) };
                let own = Way { success, failure, ignored: Some(Ignored { by: IgnoredBy::Branches, run: None }) };
                self.script(condition, own, Frame { round, guarded: true, in_condition: true, known: None, ..frame })
            }
            Node::For { head, body } => {
                self.run(*head, way, frame);
                let (again, failed) = self.round(way);
                let inner = Way { success: again, failure: failed, ignored: way.ignored };
                let round = Some((way.success, again));
                let body = self.script(body, inner, Frame { round, known: None, ..frame });
                self.either(body, way.success)
            }
            Node::Case { head, arms } => {
                self.run(*head, way, frame);
                let mut entry = way.success;
                for arm in arms {
                    let arm = self.script(arm, way, Frame { known: None, ..frame });
                    if arm.point != entry.point {
                        entry = self.either(entry, arm);
                    }
                }
                entry
            }
            Node::Function { .. } => way.success,
        }
    }

    /// The points behind a round of a loop that succeeded or failed.
    fn round(&mut self, way: Way) -> (Next, Next) {
        let mut both = self.either(way.success, way.failure);
        both.again = true;
        let failed = if way.success.point == way.failure.point { both } else { self.either(both, both) };
        (both, failed)
    }

    fn run(&mut self, id: RunId, mut way: Way, frame: Frame) -> Next {
        let runs = self.runs;
        let run = &runs[id];
        if run.replaces_shell {
            way = Way { success: frame.exit.0, failure: frame.exit.1, ignored: way.ignored };
        }
        for word in run.words.iter().chain(&run.wrapped_in).chain(run.redirects.iter().map(|redirect| &redirect.target))
        {
            self.lost_substitutions(&word.parts, Some(id), frame);
        }
        // The status of `x=$(command)` is that of the last substitution.
        let bare = run.words.is_empty() && !run.keyword;
        let mut bare_entry = None;
        for (index, assignment) in run.assignments.iter().enumerate() {
            let is_last = index + 1 == run.assignments.len();
            let decisive = match assignment.value.parts.last() {
                Some(Part::Substitution { script, .. }) if bare && is_last => Some(script),
                _ => None,
            };
            let others = &assignment.value.parts[..assignment.value.parts.len() - usize::from(decisive.is_some())];
            self.lost_substitutions(others, Some(id), frame);
            if let Some(script) = decisive {
                let exit = (way.success, way.failure);
                bare_entry = Some(self.script(script, way, Frame { exit, round: None, known: None, ..frame }));
            }
        }
        self.facts[id] = Facts {
            decides: Some(influence(way)),
            ignored: way.ignored.or(Some(Ignored { by: IgnoredBy::Constant, run: None })),
            negated: frame.negated,
            in_condition: frame.in_condition,
        };
        if way.success.point != way.failure.point
            && let Some(ignored) = self.facts[id].ignored.as_mut()
        {
            ignored.by = IgnoredBy::Constant;
        }
        if let Some(script) = &run.script {
            let shell = run.shell.unwrap_or_default();
            let inner = Frame {
                exit: (way.success, way.failure),
                exits_on_error: shell.exits_on_error,
                pipefail: shell.pipefail,
                guarded: false,
                round: None,
                known: None,
                ..frame
            };
            let entry = self.script(script, way, inner);
            return if run.limit.is_some() { self.either(entry, way.failure) } else { entry };
        }
        if bare {
            // An assignment without a command in it succeeds; a redirection such as `</dev/tcp/...` may not.
            return match bare_entry {
                Some(entry) => entry,
                None if run.redirects.is_empty() => way.success,
                None => self.either(way.success, way.failure),
            };
        }
        if run.keyword || !run.wrapped_in.is_empty() || (frame.exits_on_error && run.has_prefix()) {
            return self.either(way.success, way.failure);
        }
        let before = self.points;
        let entry = self.known_end(id, way, frame);
        if entry.point < before {
            // It ends the same way every time.
            self.facts[id].decides = Some(Decides::No);
            self.facts[id].ignored = Some(Ignored { by: IgnoredBy::Constant, run: None });
        }
        entry
    }

    /// Where commands lead that end the same way every time, calls of functions, and all others.
    fn known_end(&mut self, id: RunId, way: Way, frame: Frame) -> Next {
        let runs = self.runs;
        let run = &runs[id];
        let program = run.program();
        let Some(program) = program.as_deref() else {
            return self.either(way.success, way.failure);
        };
        if run.read_by_shell {
            if self.functions.contains_key(program) {
                return self.call(program, way, frame);
            }
            match program {
                "exit" | "return" => {
                    let status = run.words.get(1);
                    let (zero, other) = if program == "exit" { frame.exit } else { frame.leave };
                    return match status.map(|word| word.text()) {
                        Some(Some(text)) => match text.parse::<u32>() {
                            Ok(0) => zero,
                            _ => other,
                        },
                        Some(None) if !status.is_some_and(|word| word.mentions("?")) => self.either(zero, other),
                        _ => match frame.known {
                            Some(true) => zero,
                            Some(false) => other,
                            None => self.either(zero, other),
                        },
                    };
                }
                "break" => return frame.round.map_or(way.success, |(out, _)| out),
                "continue" => return frame.round.map_or(way.success, |(_, again)| again),
                ":" | "echo" | "printf" | "set" | "export" | "unset" | "sleep" | "readonly" | "declare" | "local"
                | "typeset" | "trap" | "shopt" | "umask" => return way.success,
                _ => {}
            }
        }
        match program {
            "true" => way.success,
            "echo" if !run.read_by_shell => way.success,
            "false" => way.failure,
            _ => self.either(way.success, way.failure),
        }
    }

    /// Judges the body of a function for its first call seen; further calls only make its commands unknown.
    fn call(&mut self, name: &str, way: Way, frame: Frame) -> Next {
        let unknown = self.either(way.success, way.failure);
        let Some(function) = self.functions.get_mut(name) else {
            return unknown;
        };
        function.calls += 1;
        let Function { body, runs, calls } = *function;
        match calls {
            1 if frame.calls < MAX_CALLS => {
                let leave = (way.success, way.failure);
                let frame = Frame { leave, calls: frame.calls + 1, round: None, known: None, ..frame };
                self.stage(body, way, frame)
            }
            1 | 2 => {
                for facts in &mut self.facts[runs.0..runs.1] {
                    facts.decides = facts.decides.map(|_| Decides::Unknown);
                }
                unknown
            }
            _ => unknown,
        }
    }

    /// Judges the scripts inside a word of `run`, whose status nobody looks at.
    fn lost_substitutions(&mut self, parts: &'s [Part], run: Option<RunId>, frame: Frame) {
        let mut scripts = Vec::new();
        visit(parts, &mut |part| {
            if let Part::Substitution { script, .. } = part {
                scripts.push(script);
            }
        });
        for script in scripts {
            let lost = self.point(true, true, false);
            let ignored = Some(Ignored { by: IgnoredBy::Substitution, run });
            let way = Way { success: lost, failure: lost, ignored };
            self.script(script, way, Frame { exit: (lost, lost), round: None, known: None, ..frame });
        }
    }
}

fn influence(way: Way) -> Decides {
    let Way { success, failure, .. } = way;
    let same_end = (!success.badly && !failure.badly) || (!success.well && !failure.well);
    if success.point == failure.point || same_end {
        Decides::No
    } else if success.again && failure.again {
        Decides::Unknown
    } else {
        Decides::Yes
    }
}

fn first_run(item: &Item) -> Option<RunId> {
    item.pipelines.first().and_then(|(_, pipeline)| first_of_pipeline(pipeline))
}

fn first_of_pipeline(pipeline: &Pipeline) -> Option<RunId> {
    pipeline.stages.first().and_then(first_of_stage)
}

fn first_of_stage(stage: &Stage) -> Option<RunId> {
    let script = match &stage.node {
        Node::Run(run) | Node::For { head: run, .. } | Node::Case { head: run, .. } => return Some(*run),
        Node::Group(script) | Node::Subshell(script) => script,
        Node::If { branches, .. } => &branches.first()?.0,
        Node::Loop { condition, .. } => condition,
        Node::Function { .. } => return None,
    };
    script.items.first().and_then(first_run)
}

fn collect_functions<'s>(script: &'s Script, runs: &'s [Run], found: &mut HashMap<&'s str, Function<'s>>) {
    for stage in script.items.iter().flat_map(|item| &item.pipelines).flat_map(|(_, pipeline)| &pipeline.stages) {
        let mut scripts: Vec<&Script> = Vec::new();
        match &stage.node {
            Node::Run(run) => scripts.extend(runs[*run].script.as_ref()),
            Node::Group(script) | Node::Subshell(script) => scripts.push(script),
            Node::If { branches, otherwise } => {
                scripts.extend(branches.iter().flat_map(|(condition, body)| [condition, body]));
                scripts.extend(otherwise.as_ref());
            }
            Node::Loop { condition, body, .. } => scripts.extend([condition, body]),
            Node::For { body, .. } => scripts.push(body),
            Node::Case { arms, .. } => scripts.extend(arms),
            Node::Function { name, body, runs: range } => {
                found.insert(name, Function { body, runs: *range, calls: 0 });
                if let Node::Group(script) | Node::Subshell(script) = &body.node {
                    scripts.push(script);
                }
            }
        }
        for script in scripts {
            collect_functions(script, runs, found);
        }
    }
}

/// Follows standard output forwards.
struct Flow<'s> {
    runs: &'s [Run],
    outputs: Vec<Output>,
}

impl<'s> Flow<'s> {
    fn script(&mut self, script: &'s Script, output: Output) {
        for (_, pipeline) in script.items.iter().flat_map(|item| &item.pipelines) {
            for (index, stage) in pipeline.stages.iter().enumerate() {
                let next = pipeline.stages.get(index + 1).and_then(first_of_stage);
                self.stage(stage, next.map_or(output, Output::Pipe));
            }
        }
    }

    fn stage(&mut self, stage: &'s Stage, output: Output) {
        let output = redirected(&stage.redirects, output);
        match &stage.node {
            Node::Run(run) => self.run(*run, output),
            Node::Group(script) | Node::Subshell(script) => self.script(script, output),
            Node::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.script(condition, output);
                    self.script(body, output);
                }
                if let Some(script) = otherwise {
                    self.script(script, output);
                }
            }
            Node::Loop { condition, body, .. } => {
                self.script(condition, output);
                self.script(body, output);
            }
            Node::For { head, body } => {
                self.run(*head, output);
                self.script(body, output);
            }
            Node::Case { head, arms } => {
                self.run(*head, output);
                for arm in arms {
                    self.script(arm, output);
                }
            }
            Node::Function { body, .. } => self.stage(body, output),
        }
    }

    fn run(&mut self, id: RunId, output: Output) {
        let run = &self.runs[id];
        let output = redirected(&run.redirects, output);
        self.outputs[id] = output;
        if let Some(script) = &run.script {
            self.script(script, output);
        }
        let targets = run.redirects.iter().map(|redirect| &redirect.target);
        let values = run.assignments.iter().map(|assignment| &assignment.value);
        for word in run.words.iter().chain(&run.wrapped_in).chain(targets).chain(values) {
            let mut scripts = Vec::new();
            visit(&word.parts, &mut |part| {
                if let Part::Substitution { script, .. } = part {
                    scripts.push(script);
                }
            });
            for script in scripts {
                self.script(script, Output::Word(id));
            }
        }
    }
}

/// Where standard output goes after these redirections.
fn redirected(redirects: &[Redirect], mut output: Output) -> Output {
    for redirect in redirects {
        let is_output = match redirect.kind {
            RedirectKind::Write | RedirectKind::Duplicate => redirect.descriptor.is_none_or(|number| number == 1),
            RedirectKind::WriteBoth => true,
            _ => false,
        };
        if is_output {
            let is_null = redirect.target.is("/dev/null") || redirect.target.is("-");
            output = match redirect.kind {
                RedirectKind::Duplicate if !is_null => Output::Kubelet,
                _ if is_null => Output::Nowhere,
                _ => Output::File,
            };
        }
    }
    output
}
