//! The Kubernetes release that an object is meant for.

use std::fmt;
use std::str::FromStr;

/// A release of Kubernetes, `1.MINOR`; patch releases change no field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KubernetesVersion {
    /// The 34 of 1.34.
    pub minor: u16,
}

impl KubernetesVersion {
    /// `1.MINOR`
    pub const fn new(minor: u16) -> Self {
        Self { minor }
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

impl FromStr for KubernetesVersion {
    type Err = String;

    /// Reads `1.34`, `v1.34.1`, and what distributions append: `1.34.1-gke.100`, `v1.33.2+k3s1`.
    ///
    /// # Errors
    ///
    /// Anything that does not begin so, with what to write instead.
    fn from_str(text: &str) -> Result<Self, String> {
        let minor = text.strip_prefix('v').unwrap_or(text).strip_prefix("1.").and_then(|rest| {
            let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
            let rest_fits = rest[digits..].is_empty() || rest[digits..].starts_with(['.', '-', '+']);
            rest[..digits].parse().ok().filter(|_| rest_fits)
        });
        minor.map(Self::new).ok_or_else(|| format!("`{text}` is no Kubernetes version; write it as 1.34"))
    }
}

#[cfg(test)]
mod tests {
    use super::KubernetesVersion;

    #[test]
    fn versions_are_read_as_clusters_print_them() {
        let minor = |text: &str| text.parse::<KubernetesVersion>().map(|version| version.minor).ok();
        for text in ["1.34", "v1.34", "1.34.1", "v1.34.1+k3s1", "1.34-gke.2", "1.34.0-alpha.1"] {
            assert_eq!(minor(text), Some(34), "{text}");
        }
        for text in ["", "1", "34", "2.0", "1.x", "1.34x", "v1.", "1.99999999"] {
            assert_eq!(minor(text), None, "{text}");
        }
    }
}
