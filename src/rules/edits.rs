//! Edits that several rules propose.

use crate::fix::{Fix, edit};
use crate::model::{Field, Probe, Timing};

/// Writes another timeout into a probe, in seconds. `None` where it is null, or where no place for it can be seen.
pub(super) fn set_timeout(text: &str, probe: &Probe, seconds: i64) -> Option<Fix> {
    let field = probe.timing_field(Timing::Timeout);
    let change = match probe.timing(Timing::Timeout) {
        Field::Value { at, .. } => edit::replace(*at, seconds.to_string()),
        Field::Null { .. } => return None,
        _ => {
            let last = probe.keys.iter().max_by_key(|key| key.at.start)?;
            edit::insert_entry(text, probe.at, last.at, last.value, field, &seconds.to_string())?
        }
    };
    Some(Fix::risky(format!("set `{field}` to {seconds}"), vec![change]))
}
