//! What the probes of one container will do: derived figures, and courses of things that may happen to it. The model on
//! one side, the timing model on the other; reports draw what comes out.

mod figures;
mod plan;
mod scenario;

pub use figures::{Figure, figures};
pub use plan::{HookPause, Plan, deployed, is_deployed, is_probed, numbers, pod_grace_period, pre_stop_pause, stop};
pub use scenario::{Chances, Course, MOST_REPLICAS, Range, Ready, Scenario};

use crate::model::{Container, ProbeKind, Workload};
use crate::span::Span;
use crate::timing::{Numbers, Worker};

/// One container with everything that there is to say about its timing.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Number of its document in the source, from 0.
    pub document: u32,
    /// `Deployment/shop/web > app`
    pub subject: String,
    /// Name of the container or service.
    pub container: String,
    /// Bytes of that name, or where it would stand.
    pub at: Span,
    /// Who runs the probes.
    pub worker: Worker,
    /// Its probes in the order startup, liveness, readiness.
    pub probes: Vec<(ProbeKind, Numbers)>,
    /// Probes that are there but whose numbers cannot be known.
    pub unknown: Vec<ProbeKind>,
    /// Derived figures.
    pub figures: Vec<Figure>,
    /// What happens in the scenario, if anything of it can be told.
    pub course: Course,
}

/// The timeline of a container; `None` without a probe whose numbers are known.
pub fn draw(workload: &Workload, container: &Container, scenario: &Scenario) -> Option<Timeline> {
    let plan = Plan::new(workload, container)?;
    let subject = match workload.tye {
        Some(_) => workload.subject.clone(),
        None => format!("{} > {}", workload.subject, container.name),
    };
    Some(Timeline {
        document: workload.document,
        subject,
        container: container.name.clone(),
        at: container.name_at,
        worker: plan.worker,
        probes: plan.probes(),
        unknown: plan.unknown.clone(),
        figures: figures(&plan),
        course: scenario::run(&plan, scenario),
    })
}

/// The timelines of all containers of a workload that the probes of a pod or a service are about.
pub fn draw_all<'a>(workload: &'a Workload, scenario: &'a Scenario) -> impl Iterator<Item = Timeline> + 'a {
    let containers = workload.containers.iter().filter(|container| container.may_have_probes());
    containers.filter_map(move |container| draw(workload, container, scenario))
}
