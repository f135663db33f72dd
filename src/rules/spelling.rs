//! What a key that does not exist was probably meant to be.

use crate::model::{HandlerKind, Key};

/// Names that other tools, or memory, give to fields.
const OTHER_NAMES: [(&str, &str); 24] = [
    ("timeout", "timeoutSeconds"),
    ("period", "periodSeconds"),
    ("interval", "periodSeconds"),
    ("intervalseconds", "periodSeconds"),
    ("initialdelay", "initialDelaySeconds"),
    ("delay", "initialDelaySeconds"),
    ("delayseconds", "initialDelaySeconds"),
    ("startperiod", "initialDelaySeconds"),
    ("retries", "failureThreshold"),
    ("failures", "failureThreshold"),
    ("maxfailures", "failureThreshold"),
    ("unhealthythreshold", "failureThreshold"),
    ("healthythreshold", "successThreshold"),
    ("graceperiodseconds", "terminationGracePeriodSeconds"),
    ("terminationgraceperiod", "terminationGracePeriodSeconds"),
    ("http", "httpGet"),
    ("tcp", "tcpSocket"),
    ("url", "path"),
    ("uri", "path"),
    ("headers", "httpHeaders"),
    ("cmd", "command"),
    ("commands", "command"),
    ("containerport", "port"),
    ("portname", "port"),
];

/// Names for the probes themselves.
const PROBE_NAMES: [(&str, &str); 8] = [
    ("liveness", "livenessProbe"),
    ("liveprobe", "livenessProbe"),
    ("livenesscheck", "livenessProbe"),
    ("readiness", "readinessProbe"),
    ("readyprobe", "readinessProbe"),
    ("readinesscheck", "readinessProbe"),
    ("startup", "startupProbe"),
    ("startupcheck", "startupProbe"),
];

/// A guess at the field that was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    /// The legal field.
    pub(super) field: &'static str,
    /// Only letters were wrong: case, separators, a slip or two. Another name for the same thing is not.
    pub(super) is_slip: bool,
}

/// The one legal field that a key is a slip of, or another name for. Two fields equally near are no guess.
pub(super) fn guess(key: &str, fields: &[&'static str]) -> Option<Guess> {
    let plain = plain(key);
    if let Some(field) = fields.iter().find(|field| self::plain(field) == plain) {
        return Some(Guess { field, is_slip: true });
    }
    let allowed = if plain.len() >= 8 { 2 } else { usize::from(plain.len() >= 4) };
    let mut near: Vec<(usize, &'static str)> = fields
        .iter()
        .map(|field| (strsim::damerau_levenshtein(&plain, &self::plain(field)), *field))
        .filter(|&(distance, _)| distance <= allowed)
        .collect();
    near.sort_unstable();
    match near.as_slice() {
        [] => {}
        [(_, field)] => return Some(Guess { field, is_slip: true }),
        [(first, field), (second, _), ..] if first < second => return Some(Guess { field, is_slip: true }),
        _ => return None,
    }
    // `periodSec` and `timeoutMs` are short for a unit; the other names are matched without one.
    let other = OTHER_NAMES.iter().chain(&PROBE_NAMES).find(|(name, _)| *name == plain)?;
    fields.iter().find(|field| **field == other.1).map(|field| Guess { field, is_slip: false })
}

/// Whether an unknown key of a probe is a handler gone wrong, or a part of one at the wrong level: then "no handler" is
/// the same fault.
pub(super) fn hides_a_handler(key: &Key) -> bool {
    const HANDLERS: [&str; 4] = [
        HandlerKind::Exec.field(),
        HandlerKind::HttpGet.field(),
        HandlerKind::TcpSocket.field(),
        HandlerKind::Grpc.field(),
    ];
    const PARTS: [&str; 7] = ["command", "path", "port", "host", "scheme", "httpHeaders", "service"];
    const PROBES: [&str; 5] = ["livenessProbe", "readinessProbe", "startupProbe", "handler", "probe"];
    !key.known
        && (guess(&key.name, &HANDLERS).is_some()
            || PARTS.contains(&key.name.as_ref())
            || PROBES.contains(&key.name.as_ref()))
}

fn plain(key: &str) -> String {
    key.chars().filter(|character| !matches!(character, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMINGS: [&str; 4] = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "failureThreshold"];

    #[test]
    fn slips_are_told_from_other_names() {
        let slip = |field| Some(Guess { field, is_slip: true });
        assert_eq!(guess("initialDelaySecond", &TIMINGS), slip("initialDelaySeconds"));
        assert_eq!(guess("timeout_seconds", &TIMINGS), slip("timeoutSeconds"));
        assert_eq!(guess("failureThresold", &TIMINGS), slip("failureThreshold"));
        assert_eq!(guess("timeout", &TIMINGS), Some(Guess { field: "timeoutSeconds", is_slip: false }));
        assert_eq!(guess("enabled", &TIMINGS), None);
        assert_eq!(guess("port", &["path"]), None);
    }
}
