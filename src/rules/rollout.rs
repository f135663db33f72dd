//! How many replicas a workload has, and whether a rolling update of it can go on.

use super::{Context, Replicas, ReplicasFrom};
use crate::model::{Field, Number, Origin, Port};

/// How many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// So many, none included.
    Known(Number),
    /// An autoscaler keeps at least two.
    Several,
    /// One for each node, whatever an autoscaler or an operator wants, or a template says.
    Unknown,
}

impl Count {
    /// Whether there are at least two for certain.
    pub(super) const fn is_several(self) -> bool {
        matches!(self, Self::Several) || matches!(self, Self::Known(count) if count > 1)
    }

    /// Whether there are less than two for certain.
    pub(super) const fn is_single(self) -> bool {
        matches!(self, Self::Known(count) if count < 2)
    }
}

/// How many replicas the workload has.
pub(super) fn count(cx: &Context<'_>) -> Count {
    match cx.project.replicas_of(cx.source, cx.workload) {
        Some(Replicas { count, from: ReplicasFrom::Autoscaler(..) }) if count > 1 => Count::Several,
        Some(Replicas { from: ReplicasFrom::Autoscaler(..), .. }) | None => Count::Unknown,
        Some(Replicas { count, .. }) => Count::Known(count),
    }
}

/// The replicas as the subject of a sentence: "all 3 replicas are".
pub(super) fn all(cx: &Context<'_>) -> String {
    match (count(cx), cx.workload.replicas.value()) {
        (Count::Known(2), _) => "both replicas are".to_owned(),
        (Count::Known(count), _) if count > 1 => format!("all {count} replicas are"),
        // The default says nothing of what an autoscaler or an overlay does.
        (Count::Known(1), Some(_)) => "the only replica is".to_owned(),
        _ => "every replica is".to_owned(),
    }
}

/// Why a rolling update stands still when only the leader becomes ready; `None` when it does not, or nobody can tell.
/// `by_lease`: a single process is no leader either as long as another one holds the lease.
///
/// Sources: kubernetes `pkg/controller/deployment/rolling.go`, `reconcileOldReplicaSets`, and `util/deployment_util.go`,
/// `ResolveFenceposts`; Kubernetes documentation, "StatefulSets", section "Rolling Updates".
pub(super) fn leader_blocks_rollout(cx: &Context<'_>, by_lease: bool) -> Option<String> {
    let workload = cx.workload;
    if workload.origin != Origin::Complete {
        return None;
    }
    let rolls = match &workload.strategy.kind {
        Field::Value { value, .. } => value == "RollingUpdate",
        Field::Absent | Field::Null { .. } => true,
        _ => false,
    };
    let Count::Known(count) = count(cx) else { return None };
    match workload.kind.as_str() {
        "Deployment" if rolls && by_lease && count > 0 => {
            let least = count - unavailable(cx, count)?;
            if least < 1 {
                return None;
            }
            let deadline = match &workload.progress_deadline {
                Field::Value { value, .. } => format!("{value} s"),
                Field::Absent | Field::Null { .. } => "600 s (the default of `progressDeadlineSeconds`)".to_owned(),
                _ => "`progressDeadlineSeconds`".to_owned(),
            };
            let stuck = if count == 1 {
                "a new pod leads only when the old one is gone, and a rolling update keeps the old one until the new \
                 one is ready"
                    .to_owned()
            } else {
                format!(
                    "of {count} replicas at most one is ever ready, and a rolling update keeps at least {least} of the \
                     ready ones"
                )
            };
            Some(format!("{stuck}: every rollout stands still, and after {deadline} it is reported as failed"))
        }
        "StatefulSet" if rolls && count > 1 => Some(format!(
            "of {count} replicas one is ready, and a rolling update waits for each pod to become ready before it goes \
             on: it stands still at the first that does not lead"
        )),
        _ => None,
    }
}

/// How many pods of a Deployment may be missing during a rolling update.
fn unavailable(cx: &Context<'_>, count: Number) -> Option<Number> {
    let strategy = &cx.workload.strategy;
    let unavailable = share(&strategy.max_unavailable, count, false)?;
    let surge = share(&strategy.max_surge, count, true)?;
    // Both 0 would let nothing move.
    Some(if unavailable == 0 && surge == 0 { 1 } else { unavailable })
}

/// A number of pods or a share of them, by default a quarter.
fn share(field: &Field<Port>, count: Number, round_up: bool) -> Option<Number> {
    let percent = |percent: Number| {
        let hundredths = count.checked_mul(percent)?;
        Some(if round_up { hundredths.checked_add(99)? / 100 } else { hundredths / 100 })
    };
    match field {
        Field::Absent | Field::Null { .. } => percent(25),
        Field::Value { value: Port::Number(number), .. } => Some(*number),
        Field::Value { value: Port::Name(text), .. } => percent(text.strip_suffix('%')?.parse().ok()?),
        _ => None,
    }
}
