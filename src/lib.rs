//! probelint finds the mistakes in health-probe configuration that restart healthy processes, drop traffic or silently
//! do nothing. The library is the whole pipeline: sources are parsed into spanned trees, trees are read into workloads,
//! rules look at workloads with a timing model and tables of knowledge at hand, reports print findings. Nothing points
//! backwards; `tests/architecture.rs` holds the arrows.

pub mod cli;
pub mod error;
pub mod finding;
pub mod fix;
pub mod knowledge;
pub mod lint;
pub mod model;
pub mod report;
pub mod rules;

pub mod shell;
pub mod source;
pub mod span;
pub mod timeline;
pub mod timing;
pub mod yaml;
