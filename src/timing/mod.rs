//! Every second the program speaks of. Numbers in, numbers out; knows nothing of YAML or rules.

mod windows;

pub use windows::{Numbers, Window, Worker};
