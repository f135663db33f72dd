//! A container of the model as the timing model takes it.

use crate::model::{
    Action, Container, Field, HookKind, Orchestrator, Origin, Probe, ProbeKind, Role, Timing, TyeKind, Workload,
};
use crate::shell;
use crate::span::Span;
use crate::timing::{Numbers, Stop, Worker, kubelet as timing};

/// `terminationGracePeriodSeconds` of a pod that writes none.
///
/// Source: kubernetes `pkg/apis/core/v1/defaults.go`, `SetDefaults_PodSpec`.
const DEFAULT_GRACE_PERIOD: u64 = 30;

/// Numbers of a probe for the timing model; `None` when one of them cannot be known.
pub fn numbers(probe: &Probe) -> Option<Numbers> {
    let value = |timing| Some(u64::try_from(probe.effective(timing)?.value).unwrap_or(0));
    Some(Numbers {
        worker: match probe.orchestrator {
            Orchestrator::Tye => Worker::ReplicaMonitor,
            _ => Worker::Kubelet,
        },
        initial_delay: value(Timing::InitialDelay)?,
        period: value(Timing::Period)?.max(1),
        timeout: value(Timing::Timeout)?.max(1),
        success_threshold: value(Timing::SuccessThreshold)?.max(1),
        failure_threshold: value(Timing::FailureThreshold)?.max(1),
    })
}

/// Whether anybody runs the probes: Tye passes over those of services that it does not start itself.
///
/// Source: dotnet/tye `ApplicationBuilderExtensions.cs`, `ApplicationFactory.cs`.
pub fn is_probed(workload: &Workload) -> bool {
    let not_started = [TyeKind::External, TyeKind::AzureFunction, TyeKind::Include, TyeKind::Repository];
    workload.tye.as_ref().is_none_or(|service| !not_started.contains(&service.kind))
}

/// Whether `tye deploy` writes the probes of a Tye service into a manifest.
///
/// Source: dotnet/tye `Core/GenerateServiceKubernetesManifestStep.cs`.
pub fn is_deployed(workload: &Workload) -> bool {
    workload.tye.as_ref().is_some_and(|service| matches!(service.kind, TyeKind::Project | TyeKind::DockerFile))
}

/// A pause that a `preStop` hook makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookPause {
    /// Seconds, rounded down; the greatest number for a hook that never ends.
    pub seconds: u64,
    /// The bytes that say so.
    pub at: Span,
}

/// How long the `preStop` hook of a container certainly takes.
pub fn pre_stop_pause(container: &Container) -> Option<HookPause> {
    let hook = container.lifecycle.hooks.iter().find(|hook| hook.kind == HookKind::PreStop)?;
    let [handler] = hook.handlers.as_slice() else { return None };
    match &handler.action {
        Action::Sleep(Field::Value { value, at, .. }) => {
            Some(HookPause { seconds: u64::try_from(*value).ok()?, at: *at })
        }
        Action::Exec(command) => {
            let (args, whole) = command.spanned()?;
            if args.iter().any(|arg| arg.wrong.is_some() || arg.text.contains("{{")) {
                return None;
            }
            let words: Vec<shell::Arg<'_>> = args.iter().map(|arg| shell::Arg { text: &arg.text }).collect();
            let pause = shell::read(&words).pause()?;
            let (start, end) = (pause.place.span.start as usize, pause.place.span.end as usize);
            let at = args.get(pause.place.arg as usize).map_or(whole, |arg| arg.span_of(start, end));
            Some(HookPause { seconds: pause.seconds as u64, at })
        }
        _ => None,
    }
}

/// Seconds of the pod's grace period; `None` when they cannot be known.
pub fn pod_grace_period(workload: &Workload) -> Option<u64> {
    match &workload.grace_period {
        // A negative one becomes 1.
        //
        // Source: kubernetes `pkg/apis/core/v1/conversion.go`, `Convert_v1_Pod_To_core_Pod`.
        Field::Value { value, .. } if *value < 0 => Some(1),
        Field::Value { value, .. } => u64::try_from(*value).ok(),
        Field::Absent | Field::Null { .. } if workload.origin == Origin::Complete => Some(DEFAULT_GRACE_PERIOD),
        _ => None,
    }
}

/// How a kill by a probe goes: under its own grace period, else the pod's. `None` when neither can be known.
///
/// Source: kubernetes `pkg/kubelet/kuberuntime/kuberuntime_container.go`, `setTerminationGracePeriod`.
pub fn stop(workload: &Workload, container: &Container, probe: Option<&Probe>) -> Option<Stop> {
    if workload.orchestrator == Orchestrator::Tye {
        return Some(Stop::TYE);
    }
    let own = match probe.map(|probe| &probe.grace_period) {
        Some(Field::Value { value, .. }) => Some(u64::try_from(*value).ok()?),
        Some(Field::Wrong { .. } | Field::Templated { .. }) => return None,
        _ => None,
    };
    let grace_period = own.or_else(|| pod_grace_period(workload))?;
    Some(Stop { grace_period, pre_stop: pre_stop_pause(container).map_or(0, |pause| pause.seconds) })
}

/// A container's probes and how it is stopped.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who runs the probes.
    pub worker: Worker,
    /// The probes, and what follows when they fail.
    pub container: timing::Container,
    /// The liveness probe as `tye deploy` writes it, for the kubelet.
    pub deployed_liveness: Option<Numbers>,
    /// The same of the readiness probe.
    pub deployed_readiness: Option<Numbers>,
    /// Probes whose numbers cannot be known.
    pub unknown: Vec<ProbeKind>,
}

impl Plan {
    /// Of a container; `None` when there is no probe whose numbers are known.
    pub fn new(workload: &Workload, container: &Container) -> Option<Self> {
        let usable = |kind| container.probe(kind).filter(|probe| probe.wrong.is_none() && !probe.handlers.is_empty());
        let of = |kind| usable(kind).and_then(numbers);
        let (startup, liveness, readiness) =
            (of(ProbeKind::Startup), of(ProbeKind::Liveness), of(ProbeKind::Readiness));
        if startup.is_none() && liveness.is_none() && readiness.is_none() || !is_probed(workload) {
            return None;
        }
        let is_unknown = |kind: &ProbeKind| {
            container.templated_probes.contains(kind) || usable(*kind).is_some() && of(*kind).is_none()
        };
        let unknown = ORDER.into_iter().filter(is_unknown).collect();
        let stop = |kind| {
            let fallback = Stop { grace_period: DEFAULT_GRACE_PERIOD, pre_stop: 0 };
            stop(workload, container, container.probe(kind)).unwrap_or(fallback)
        };
        let is_tye = workload.orchestrator == Orchestrator::Tye;
        let is_deployed = is_deployed(workload);
        Some(Self {
            worker: if is_tye { Worker::ReplicaMonitor } else { Worker::Kubelet },
            container: timing::Container {
                startup,
                liveness,
                readiness,
                startup_stop: stop(ProbeKind::Startup),
                liveness_stop: stop(ProbeKind::Liveness),
                // A sidecar is restarted whatever the pod says.
                restarts: container.role == Role::Sidecar
                    || workload.restart_policy.value().is_none_or(|policy| policy != "Never"),
            },
            deployed_liveness: liveness.filter(|_| is_deployed).map(deployed),
            deployed_readiness: readiness.filter(|_| is_deployed).map(deployed),
            unknown,
        })
    }

    /// The probes that there are.
    pub fn probes(&self) -> Vec<(ProbeKind, Numbers)> {
        let all = ORDER.into_iter().zip([self.container.startup, self.container.liveness, self.container.readiness]);
        all.filter_map(|(kind, numbers)| Some((kind, numbers?))).collect()
    }
}

/// The order in which probes come into play.
const ORDER: [ProbeKind; 3] = [ProbeKind::Startup, ProbeKind::Liveness, ProbeKind::Readiness];

/// A Tye probe as `tye deploy` writes it: the same numbers for the kubelet, without the timeout.
///
/// Source: dotnet/tye `Core/KubernetesManifestGenerator.cs`.
pub const fn deployed(numbers: Numbers) -> Numbers {
    Numbers { worker: Worker::Kubelet, timeout: 1, ..numbers }
}
