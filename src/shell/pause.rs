//! How long a command certainly sleeps.

use super::place::Place;
use super::run::Run;
use super::script::{Item, Joint, Node, Pipeline, RunId, Script};
use super::word::Value;
use super::{Exec, wrapper};

/// Time that a command spends asleep whatever its programs do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pause {
    /// In seconds, all sleeps together; infinite for `sleep infinity`.
    pub seconds: f64,
    /// The longest of them.
    pub place: Place,
}

impl Exec {
    /// The sleeps that are reached in any case, one after another: not those behind `||`, in the background, in the
    /// branches of `if` and `case`, or in loops. `None` where there is none, or where not all was understood.
    pub fn pause(&self) -> Option<Pause> {
        if !self.understood() {
            return None;
        }
        let mut walk = Walk { runs: self.runs(), sum: 0.0, longest: None };
        walk.script(self.script());
        walk.longest.map(|(_, place)| Pause { seconds: walk.sum, place })
    }
}

/// What is known of a command that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Succeeded,
    Failed,
    /// One or the other.
    Open,
    /// Nothing behind it is reached.
    Over,
}

struct Walk<'e> {
    runs: &'e [Run],
    sum: f64,
    longest: Option<(f64, Place)>,
}

impl Walk<'_> {
    fn script(&mut self, script: &Script) -> After {
        let mut after = After::Succeeded;
        for item in &script.items {
            after = self.item(item);
            if after == After::Over {
                break;
            }
        }
        after
    }

    fn item(&mut self, item: &Item) -> After {
        if item.background {
            return After::Succeeded;
        }
        let mut after = After::Succeeded;
        for (joint, pipeline) in &item.pipelines {
            let is_reached = match joint {
                Joint::First => true,
                Joint::And => after == After::Succeeded,
                Joint::Or => after == After::Failed,
            };
            if is_reached {
                after = self.pipeline(pipeline);
            } else if after == After::Open {
                // Perhaps it runs, and perhaps it ends everything.
                return After::Open;
            }
            if after == After::Over {
                break;
            }
        }
        after
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> After {
        let [stage] = pipeline.stages.as_slice() else { return After::Open };
        let after = match &stage.node {
            Node::Run(id) => self.run(*id),
            Node::Group(script) => self.script(script),
            Node::Subshell(script) => match self.script(script) {
                // Only the subshell ends.
                After::Over => After::Open,
                after => after,
            },
            Node::Function { .. } => After::Succeeded,
            Node::If { .. } | Node::Loop { .. } | Node::For { .. } | Node::Case { .. } => After::Open,
        };
        match after {
            After::Succeeded if pipeline.negated => After::Failed,
            After::Failed if pipeline.negated => After::Succeeded,
            after => after,
        }
    }

    fn run(&mut self, id: RunId) -> After {
        let Some(run) = self.runs.get(id) else { return After::Open };
        let before = self.sum;
        let after = match &run.script {
            Some(script) => match self.script(script) {
                After::Over => After::Open,
                after => after,
            },
            None => self.program(run),
        };
        let limit = run.limit.and_then(|limit| limit.seconds).filter(|limit| *limit > 0.0);
        if let Some(limit) = limit.filter(|limit| self.sum - before > *limit) {
            self.sum = before + limit;
            return After::Failed;
        }
        if run.replaces_shell { After::Over } else { after }
    }

    fn program(&mut self, run: &Run) -> After {
        let program = run.program();
        match program.as_deref() {
            Some("sleep") if !run.elsewhere => {
                let words = run.words.iter().skip(1);
                let times: Option<Vec<f64>> = words.map(|word| Value::of(word).known().and_then(sleep)).collect();
                let Some(seconds) = times.map(|times| times.iter().sum::<f64>()) else { return After::Open };
                self.sum += seconds;
                if self.longest.is_none_or(|(longest, _)| seconds > longest) {
                    let place = run.words.get(1).map_or(run.place, |word| word.place);
                    self.longest = Some((seconds, place));
                }
                After::Succeeded
            }
            Some("true" | ":" | "echo") => After::Succeeded,
            Some("false") => After::Failed,
            Some("exit" | "return") => After::Over,
            _ => After::Open,
        }
    }
}

/// One argument of `sleep`.
fn sleep(text: &str) -> Option<f64> {
    if matches!(text, "infinity" | "inf") { Some(f64::INFINITY) } else { wrapper::seconds(text) }
}

#[cfg(test)]
mod tests {
    use super::super::{Arg, read};

    fn pause(script: &str) -> Option<f64> {
        let words = [Arg { text: "sh" }, Arg { text: "-c" }, Arg { text: script }];
        read(&words).pause().map(|pause| pause.seconds)
    }

    #[test]
    fn sleeps_in_a_row_are_added_up() {
        assert_eq!(read(&[Arg { text: "sleep" }, Arg { text: "30" }]).pause().map(|pause| pause.seconds), Some(30.0));
        for (script, seconds) in [
            ("sleep 20; sleep 20", 40.0),
            ("sleep 10\nnginx -s quit\nsleep 15s", 25.0),
            ("sleep 5 && sleep 1m", 65.0),
            ("nginx -s quit; sleep 20", 20.0),
            ("{ sleep 3; } && (sleep 4)", 7.0),
            ("false || sleep 9", 9.0),
            ("! false && sleep 9", 9.0),
            ("exec sleep 8", 8.0),
            ("timeout 10 sleep 600", 10.0),
            ("sleep 2 3", 5.0),
        ] {
            assert_eq!(pause(script), Some(seconds), "{script}");
        }
        assert_eq!(pause("sleep infinity"), Some(f64::INFINITY));
    }

    #[test]
    fn what_may_not_be_reached_does_not_count() {
        for script in [
            "exit 0; sleep 40",
            "true || sleep 100",
            "false && sleep 90",
            "f() { sleep 60; }; true",
            "sleep 100 >/dev/null 2>&1 & kill -TERM 1",
            "(sleep 100; true) >/dev/null 2>&1 &",
            "if [ -e /drain ]; then sleep 120; fi",
            "case $X in a) sleep 90;; esac",
            "while kill -0 1; do sleep 60; done",
            "test -e /drain && sleep 60",
            "exec nginx -s quit; sleep 30",
            "sleep $TIME",
        ] {
            assert_eq!(pause(script), None, "{script}");
        }
    }
}
