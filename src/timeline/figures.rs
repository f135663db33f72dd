//! The table of derived figures.

use super::Plan;
use crate::timing::{Numbers, Window, Worker, first_ready};

/// One figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name for programs: `kill-after-hang`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Seconds.
    pub window: Window,
    /// What it says, or leaves out.
    pub note: String,
}

/// All figures of a container, in the order of its life.
pub fn figures(plan: &Plan) -> Vec<Figure> {
    let mut figures = Figures(Vec::new());
    figures.of_start(plan);
    if let Some(readiness) = plan.container.readiness {
        figures.of_readiness(&readiness);
    }
    if let Some(liveness) = plan.container.liveness {
        figures.of_liveness(plan, &liveness);
    }
    figures.of_deployment(plan);
    figures.0
}

struct Figures(Vec<Figure>);

impl Figures {
    fn add(&mut self, name: &'static str, title: &'static str, window: Window, note: impl Into<String>) {
        self.0.push(Figure { name, title, window, note: note.into() });
    }

    fn of_start(&mut self, plan: &Plan) {
        if let Some(numbers) = plan.container.startup.or(plan.container.liveness) {
            let budget = numbers.start_budget();
            let whose = if plan.container.startup.is_some() { "" } else { ", by the liveness probe" };
            self.add(
                "startup-budget",
                "startup budget",
                Window { earliest: budget, latest: budget },
                format!("a start that takes longer may be ended{whose}"),
            );
            self.add(
                "kill-of-endless-start",
                "a start that never ends is ended after",
                numbers.act_after_endless_start(),
                "",
            );
        }
        if plan.container.readiness.is_some()
            || plan.container.startup.is_some()
            || plan.worker == Worker::ReplicaMonitor
        {
            let sooner = plan.container.readiness.as_ref().and_then(sooner);
            self.add(
                "ready-after-start",
                "ready after the start",
                first_ready(plan.container.startup, plan.container.liveness, plan.container.readiness),
                ["for a process that answers at once"].into_iter().chain(sooner).collect::<Vec<_>>().join(", "),
            );
        }
    }

    fn of_readiness(&mut self, readiness: &Numbers) {
        self.add("removal-after-hang", "removed after a hang", readiness.act_after_hang(), "");
        self.add("removal-after-refusal", "removed when connections are refused", readiness.act_after_refusal(), "");
        self.add(
            "ready-after-recovery",
            "ready again after recovery",
            readiness.pass_after_recovery(),
            sooner(readiness).unwrap_or_default(),
        );
    }

    fn of_liveness(&mut self, plan: &Plan, liveness: &Numbers) {
        let kill = liveness.act_after_hang();
        let stop = plan.container.liveness_stop.gone_after_decision();
        self.add("kill-after-hang", "killed after a hang", kill, "");
        self.add("kill-after-refusal", "killed when connections are refused", liveness.act_after_refusal(), "");
        let note = match plan.worker {
            Worker::ReplicaMonitor => "interrupt, then kill".to_owned(),
            _ if plan.container.liveness_stop.term_after() == 0 => {
                format!("grace period {} s", plan.container.liveness_stop.grace_period)
            }
            _ => format!(
                "grace period {} s, preStop {} s of it",
                plan.container.liveness_stop.grace_period,
                plan.container.liveness_stop.term_after()
            ),
        };
        self.add("stop", "then stopped within", stop, note);
        let all = kill.then(stop);
        let again = if plan.container.restarts { "" } else { "it is not started again" };
        self.add("hang-to-end", "from the hang to the end of the process", all, again);
    }

    /// What Tye's numbers mean to the kubelet.
    fn of_deployment(&mut self, plan: &Plan) {
        if let Some(readiness) = plan.deployed_readiness {
            let note = "as `tye deploy` writes it";
            self.add("removal-after-hang-deployed", "deployed: removed after a hang", readiness.act_after_hang(), note);
        }
        if let Some(liveness) = plan.deployed_liveness {
            let note = "as `tye deploy` writes it";
            self.add("kill-after-hang-deployed", "deployed: killed after a hang", liveness.act_after_hang(), note);
            let budget = liveness.start_budget();
            let window = Window { earliest: budget, latest: budget };
            self.add("startup-budget-deployed", "deployed: startup budget", window, "there is no startup probe");
        }
    }
}

/// What shortens a row of successes under the kubelet, if one is asked for.
fn sooner(readiness: &Numbers) -> Option<&'static str> {
    let is_row = readiness.worker == Worker::Kubelet && readiness.success_threshold > 1;
    is_row.then_some("sooner the more attempts are made out of turn")
}
