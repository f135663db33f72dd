use super::handlers::{self, Site};
use super::{Context, Sink, words};
use crate::model::{Action, Field, Header, HttpGet};
use crate::span::Span;

/// Headers whose value is a credential by definition or by wide use; compared without regard to capitals.
///
/// Source: RFC 9110 (Authorization, Proxy-Authorization); API references of GitLab, Vault, Consul, OpenStack and
/// SonarQube.
const HEADERS: [&str; 20] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "apikey",
    "x-apikey",
    "x-api-token",
    "x-auth-token",
    "x-access-token",
    "x-auth-key",
    "x-token",
    "x-secret",
    "private-token",
    "x-gitlab-token",
    "x-vault-token",
    "x-consul-token",
    "x-sonar-passcode",
    "x-auth",
    "x-functions-key",
    "ocp-apim-subscription-key",
];

/// Parameters whose value is a credential.
const PARAMETERS: [&str; 16] = [
    "token",
    "access_token",
    "auth_token",
    "api_token",
    "private_token",
    "api_key",
    "api-key",
    "apikey",
    "password",
    "passwd",
    "pwd",
    "passcode",
    "secret",
    "client_secret",
    "jwt",
    "sig",
];

/// Parameters and headers that may hold a credential among other things.
const AMBIGUOUS: [&str; 8] = ["key", "auth", "code", "pass", "signature", "session", "cookie", "x-session"];

/// Texts that stand for a credential and are none, and what people write so that a probe can be told from others.
const STAND_INS: [&str; 24] = [
    "change",
    "replace",
    "placeholder",
    "example",
    "redacted",
    "dummy",
    "your",
    "todo",
    "fixme",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "anonymous",
    "public",
    "guest",
    "probe",
    "health",
    "kube",
    "k8s",
    "live",
    "ready",
    "insert",
];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for site in handlers::sites(cx.workload) {
        let Action::HttpGet(http) = &site.handler.action else { continue };
        headers(cx, sink, &site, http);
        query(cx, sink, &site, http);
    }
}

fn headers(cx: &Context<'_>, sink: &mut Sink<'_>, site: &Site<'_>, http: &HttpGet) {
    for (index, header) in http.headers.value().into_iter().flatten().enumerate() {
        let Header { name: Field::Value { value: name, .. }, value: Field::Value { value, at, .. }, .. } = header
        else {
            continue;
        };
        if !is_secret_header(name, value) {
            continue;
        }
        let list = if site.handler.keys.iter().any(|key| key.name == "headers") { "headers" } else { "httpHeaders" };
        let message = format!("{} sends a credential, written out, in the header `{name}`", site.who(cx.workload));
        report(cx, sink, site, &format!("{list}[{index}].value"), *at, message);
    }
}

fn query(cx: &Context<'_>, sink: &mut Sink<'_>, site: &Site<'_>, http: &HttpGet) {
    let Some((path, at)) = http.path.spanned() else { return };
    let Some((_, query)) = path.split_once('?') else { return };
    let secret = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, value)| {
        let name = name.to_ascii_lowercase();
        PARAMETERS.contains(&name.as_str()) && is_literal_secret(value)
            || AMBIGUOUS.contains(&name.as_str()) && is_random(value)
    });
    let Some((name, value)) = secret else { return };
    let message = format!("{} sends a credential, written out, in the parameter `{name}`", site.who(cx.workload));
    // The value alone, where the path stands in the text to the letter.
    let written = at.text(cx.text);
    let pair = format!("{name}={value}");
    let place = written.find(&pair).map(|start| {
        let start = at.start + (start + name.len() + 1) as u32;
        Span::new(start, start + value.len() as u32)
    });
    report(cx, sink, site, "path", place.unwrap_or(at), message);
}

fn report(cx: &Context<'_>, sink: &mut Sink<'_>, site: &Site<'_>, field: &str, at: Span, message: String) {
    let reach = match cx.workload.tye {
        Some(_) => "it lies in the repository, and in every manifest that is made from this file",
        None => "whoever may read the pod or the repository reads it; a probe cannot take it from a Secret",
    };
    let stale = site.probe.and_then(|probe| Some((probe, words::numbers(probe)?))).map(|(probe, numbers)| {
        let consequence = words::consequence(probe.orchestrator, probe.kind);
        format!("; once it is changed or runs out, {consequence} within {}", numbers.act_after_refusal())
    });
    site.report(sink, field, at, message).why(format!("{reach}{}", stale.unwrap_or_default())).help(
        "take it out and change it; let the endpoint answer without credentials (on a port of its own, if need be), or \
         ask with `exec` and a client that takes them from a variable set by `secretKeyRef`",
    );
}

/// Whether a header carries a credential in plain sight.
fn is_secret_header(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    if AMBIGUOUS.contains(&name.as_str()) {
        return value.split([';', '=', ' ']).any(is_random);
    }
    if !HEADERS.contains(&name.as_str()) {
        return false;
    }
    // `Basic dXNlcjpwYXNz`, `Bearer eyJ...`; a scheme alone is no credential.
    let (scheme, credential) = match value.trim().split_once(' ') {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest.trim()),
        None => (String::new(), value.trim()),
    };
    let is_scheme =
        |text: &str| ["basic", "bearer", "token", "digest"].iter().any(|name| text.eq_ignore_ascii_case(name));
    if is_scheme(credential) {
        return false;
    }
    if scheme == "basic" {
        let decoded = base64(credential).and_then(|bytes| String::from_utf8(bytes).ok());
        // What is no user and password is refused by every server; somebody will fill it in.
        return decoded
            .is_some_and(|pair| pair.split_once(':').is_some_and(|(_, password)| is_literal_secret(password)));
    }
    is_literal_secret(credential)
}

/// Whether a text in the place of a credential is one: nothing that a tool fills in, no stand-in, no mask.
fn is_literal_secret(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_wrapped = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    let is_placeholder = value.starts_with('$')
        || ["$(", "${", "{{", "{%"].iter().any(|mark| value.contains(mark))
        || [('<', '>'), ('{', '}'), ('[', ']'), ('%', '%'), ('@', '@'), ('_', '_')]
            .iter()
            .any(|&(open, close)| is_wrapped(open, close));
    let first = value.chars().next();
    let is_mask = value.chars().all(|character| Some(character) == first || matches!(character, '.' | '-' | '*' | '_'));
    let is_stand_in = STAND_INS.iter().any(|word| lower.contains(word)) && !is_random(value);
    value.chars().count() >= 4 && !is_placeholder && !is_mask && !is_stand_in
}

/// Whether a text looks like a key made by a machine: long, of letters and digits mixed, or a JSON web token.
fn is_random(value: &str) -> bool {
    let is_token = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+/=~".contains(&byte));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    // Words parted by hyphens are names, however long.
    let longest = value.split(['-', '_', '.']).map(str::len).max().unwrap_or_default();
    is_token && (value.starts_with("eyJ") && value.len() >= 30 || longest >= 16 && digits >= 3 && letters >= 3)
}

/// Decodes base64 with or without padding; `None` for anything else.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = (buffer << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{base64, is_literal_secret, is_random, is_secret_header};

    #[test]
    fn base64_is_decoded() {
        assert_eq!(base64("YWRtaW46czNjcjN0"), Some(b"admin:s3cr3t".to_vec()));
        assert_eq!(base64("Z3Vlc3Q6Z3Vlc3Q="), Some(b"guest:guest".to_vec()));
        assert_eq!(base64("not base64!"), None);
    }

    #[test]
    fn what_stands_for_a_credential_is_none() {
        for value in [
            "",
            "xxx",
            "xxxxxxxx",
            "****",
            "changeme",
            "<token>",
            "$(TOKEN)",
            "${TOKEN}",
            "true",
            "your-token-here",
            "kube-probe",
            "healthcheck",
            "@TOKEN@",
            "1",
        ] {
            assert!(!is_literal_secret(value), "{value}");
        }
        assert!(is_literal_secret("P@ssw0rd") && is_literal_secret("p%40ss") && is_literal_secret("s3cr3t"));
        assert!(is_literal_secret("hunter2") && is_literal_secret("correct horse"));
    }

    #[test]
    fn the_header_decides_what_is_a_credential() {
        assert!(is_secret_header("Authorization", "Basic YWRtaW46czNjcjN0"));
        assert!(is_secret_header("authorization", "Bearer 0123abcdefghijkl"));
        assert!(is_secret_header("X-Api-Key", "s3cr3t"));
        for value in
            ["", "Basic", "Bearer", "Basic xxx", "Basic YWRtaW46", "Bearer $(TOKEN)", "Basic <base64 of user:pass>"]
        {
            assert!(!is_secret_header("Authorization", value), "{value}");
        }
        assert!(!is_secret_header("Cookie", "shop_session-id=x-readiness-probe"));
        assert!(is_secret_header("Cookie", "session=4f3a9c77b1de40028d6e5a90cc12ab34"));
        assert!(
            !is_secret_header("X-Custom-Header", "Awesome")
                && !is_secret_header("X-Parse-Application-Id", "abc123abc123abc123")
        );
    }

    #[test]
    fn keys_made_by_machines_are_told_from_names() {
        assert!(
            is_random("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwcm9iZSJ9.c2lnbmF0dXJl") && is_random("AKIA1234567890ABCDEF")
        );
        assert!(!is_random("a-very-long-name-of-a-session-1-2-3") && !is_random("value"));
    }
}
