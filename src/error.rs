//! The few ways in which a run itself can fail. What is wrong with the user's manifests is a finding, not an error.

use std::fmt;

/// Why a run stopped or is incomplete.
#[derive(Debug)]
pub enum Error {
    /// A rule name that does not exist.
    UnknownRule {
        /// As the user wrote it.
        name: String,
        /// The nearest rule, if any is near.
        nearest: Option<&'static str>,
    },
    /// Output could not be written.
    Output(std::io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRule { name, nearest: Some(nearest) } => {
                write!(formatter, "there is no rule `{name}`; did you mean `{nearest}`?")
            }
            Self::UnknownRule { name, nearest: None } => {
                write!(formatter, "there is no rule `{name}`; `probelint rules` lists them all")
            }
            Self::Output(error) => write!(formatter, "the output cannot be written: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}
