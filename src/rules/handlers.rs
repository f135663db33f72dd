//! Handlers of a workload, those of hooks included, for rules that look at what is asked and not at when.

use super::sink::{Report, Sink};
use super::words;
use crate::model::{Container, Handler, Probe, Workload};
use crate::span::Span;

/// A handler and what it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Site<'m> {
    /// The container that has it.
    pub(super) container: &'m Container,
    /// The handler.
    pub(super) handler: &'m Handler,
    /// The probe; `None` for a hook.
    pub(super) probe: Option<&'m Probe>,
    /// `postStart` or `preStop`; empty for a probe.
    hook: &'static str,
}

/// The handlers of all probes and hooks that have exactly one, of containers that may have them.
pub(super) fn sites(workload: &Workload) -> Vec<Site<'_>> {
    let mut sites = Vec::new();
    for container in workload.containers.iter().filter(|container| container.may_have_probes()) {
        let probes = container.probes.iter().filter_map(|probe| Some((probe, probe.handler()?)));
        sites.extend(probes.map(|(probe, handler)| Site { container, handler, probe: Some(probe), hook: "" }));
        for hook in &container.lifecycle.hooks {
            if let [handler] = hook.handlers.as_slice() {
                sites.push(Site { container, handler, probe: None, hook: hook.kind.field() });
            }
        }
    }
    sites
}

impl Site<'_> {
    /// "the liveness probe of container `app`", "the preStop hook of container `app`".
    pub(super) fn who(&self, workload: &Workload) -> String {
        match self.probe {
            Some(probe) => words::probe(workload, self.container, probe),
            None => format!("the {} hook of {}", self.hook, words::owner(workload, self.container)),
        }
    }

    /// Reports a fault in a field of the handler; `field` is empty for the handler itself. Edits are offered for probes
    /// only: a hook does not tell whether it is shared through an alias.
    pub(super) fn report<'s>(
        &self,
        sink: &'s mut Sink<'_>,
        field: &str,
        at: Span,
        message: impl Into<String>,
    ) -> Report<'s> {
        let kind = self.handler.kind();
        let dot = if field.is_empty() { "" } else { "." };
        match self.probe {
            Some(probe) => {
                let path = format!("{}{dot}{field}", probe.handler_field(kind));
                sink.probe(self.container, probe, &path, at, message)
            }
            None => {
                let path = format!("lifecycle.{}.{}{dot}{field}", self.hook, kind.field());
                sink.container(self.container, &path, at, message)
            }
        }
    }
}
