//! What makes a name one that the API server takes.

/// What is wrong with the name of a port, if anything: "has capitals".
///
/// Source: kubernetes/apimachinery `pkg/util/validation/validation.go`, `IsValidPortName`.
pub(super) fn port_name_fault(name: &str) -> Option<String> {
    let mut faults = Vec::new();
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if name.len() > 15 {
        faults.push(format!("has {} characters, 15 are allowed", name.chars().count()));
    }
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        faults.push("has capitals".to_owned());
    }
    let is_legal = |character: char| character.is_ascii_alphanumeric() || character == '-';
    if let Some(other) = name.chars().find(|&character| !is_legal(character)) {
        faults.push(format!("has a `{other}`; letters a to z, digits and single hyphens are allowed"));
    }
    if !name.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        faults.push("has no letter".to_owned());
    }
    if name.contains("--") {
        faults.push("has two hyphens in a row".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        faults.push("has a hyphen at its end".to_owned());
    }
    (!faults.is_empty()).then(|| faults.join(" and "))
}

/// What is wrong with the name of an HTTP header, if anything.
///
/// Source: kubernetes/apimachinery `pkg/util/validation/validation.go`, `IsHTTPHeaderName`, which is stricter than
/// RFC 9110.
pub(super) fn header_name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    let other = name.chars().find(|&character| !character.is_ascii_alphanumeric() && character != '-')?;
    Some(match other {
        ' ' => "has a blank; letters, digits and hyphens are allowed".to_owned(),
        other => format!("has a `{other}`; letters, digits and hyphens are allowed"),
    })
}

#[cfg(test)]
mod tests {
    use super::{header_name_fault, port_name_fault};

    #[test]
    fn port_names_are_judged_as_the_api_server_does() {
        for name in ["http", "a", "8080a", "0x1f90", "a-b-c", "123456789012-ab"] {
            assert_eq!(port_name_fault(name), None, "{name}");
        }
        for name in ["", "8080", "HTTP", "a--b", "-a", "a-", "a_b", "a.b", "a b", "1234567890123-ab", "é"] {
            assert!(port_name_fault(name).is_some(), "{name}");
        }
    }

    #[test]
    fn header_names_are_judged_as_the_api_server_does() {
        assert_eq!(header_name_fault("X-Forwarded-Proto"), None);
        for name in ["", "X_Token", "a b", "Host:", "é"] {
            assert!(header_name_fault(name).is_some(), "{name}");
        }
    }
}
