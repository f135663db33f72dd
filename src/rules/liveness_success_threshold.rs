use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Orchestrator, ProbeKind, Timing};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        if probe.kind == ProbeKind::Readiness || !container.may_have_probes() {
            continue;
        }
        let Some((&value, at)) = probe.timing(Timing::SuccessThreshold).spanned() else { continue };
        // 0 is silently the default, which is 1; Tye has no such rule and refuses it as too small.
        if value == 1 || value == 0 && probe.orchestrator != Orchestrator::Tye {
            continue;
        }
        let who = words::probe(cx.workload, container, probe);
        let why = match probe.orchestrator {
            Orchestrator::Tye => {
                "Tye stops with \"must be set to 1\" when it validates the file; one success is all it needs to count a \
                 replica as alive"
            }
            _ => {
                "the API server refuses the object, so none of it is deployed; one success ends a series of failures \
                 anyway"
            }
        };
        sink.probe(
            container,
            probe,
            "successThreshold",
            at,
            format!("{who} sets `successThreshold` to {value}, but only 1 is allowed"),
        )
        .why(why)
        .help("write 1, or leave the line out; `successThreshold` above 1 is for readiness alone")
        .fix(Some(Fix::safe("set `successThreshold` to 1", vec![edit::replace(at, "1")])));
    }
}
