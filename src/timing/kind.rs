//! Names of the three probes.

/// Which of the three probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProbeKind {
    /// Failing restarts the container.
    Liveness,
    /// Failing takes the pod out of its Services.
    Readiness,
    /// Holds the other two back until it has passed once; failing restarts the container.
    Startup,
}

impl ProbeKind {
    /// All kinds in the order in which API validation reports them.
    pub const ALL: [Self; 3] = [Self::Liveness, Self::Readiness, Self::Startup];

    /// The word for a sentence: "liveness".
    pub const fn word(self) -> &'static str {
        match self {
            Self::Liveness => "liveness",
            Self::Readiness => "readiness",
            Self::Startup => "startup",
        }
    }

    /// The field of a container that holds it: `livenessProbe`.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Liveness => "livenessProbe",
            Self::Readiness => "readinessProbe",
            Self::Startup => "startupProbe",
        }
    }
}
