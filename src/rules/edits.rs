//! Edits that several rules propose.

use crate::fix::{Fix, edit};
use crate::model::{Field, Probe, Timing};

/// Writes another timeout into a probe, in seconds. `None` where it is null, or where no place for it can be seen.
pub(super) fn set_timeout(text: &str, probe: &Probe, seconds: i64) -> Option<Fix> {
    set(text, probe, Timing::Timeout, seconds)
}

/// Writes another failure threshold into a probe.
pub(super) fn set_failures(text: &str, probe: &Probe, count: u64) -> Option<Fix> {
    set(text, probe, Timing::FailureThreshold, i64::try_from(count).ok()?)
}

/// Writes another period into a probe, in seconds.
pub(super) fn set_period(text: &str, probe: &Probe, seconds: i64) -> Option<Fix> {
    set(text, probe, Timing::Period, seconds)
}

/// Writes a number over the old one, or behind the last entry of the probe that has a line of its own.
fn set(text: &str, probe: &Probe, timing: Timing, value: i64) -> Option<Fix> {
    let field = probe.timing_field(timing);
    let change = match probe.timing(timing) {
        Field::Value { at, .. } => edit::replace(*at, value.to_string()),
        Field::Null { .. } => return None,
        _ => {
            let last = probe.keys.iter().max_by_key(|key| key.at.start)?;
            edit::insert_entry(text, probe.at, last.at, last.value, field, &value.to_string())?
        }
    };
    Some(Fix::risky(format!("set `{field}` to {value}"), vec![change]))
}
