//! Every second the program speaks of. Numbers in, numbers out; knows nothing of YAML or rules.
//!
//! [`Numbers`] and [`Stop`] have closed forms: how soon and how late a probe acts, whatever the phase of its ticks.
//! [`kubelet`] and [`tye`] replay one course tick by tick, [`fleet`] many replicas under load. Tests hold the forms and
//! the replays together.

mod course;
pub mod fleet;
mod kind;
pub mod kubelet;
mod phases;
#[cfg(test)]
mod tests;
pub mod tye;
mod windows;
mod worker;

pub use course::{Ask, Event, Happening, Millis, Process, Reply, SECOND, Tally, millis, tally};
pub use kind::ProbeKind;
pub use phases::spread;
pub use windows::{Numbers, Stop, Window, Worker, first_ready};
