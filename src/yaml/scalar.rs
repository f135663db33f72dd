//! What a scalar means to the tools that read manifests. The tree keeps text; these functions resolve it.
//!
//! Sources: gopkg.in/yaml.v2 `resolve.go` (used by kubectl and the API server through sigs.k8s.io/yaml), and .NET's
//! `int.TryParse` / `bool.TryParse` as Tye's parser uses them (dotnet/tye `Serialization/ConfigServiceParser.cs`).

use super::tree::{Kind, Node, Style};
use crate::span::Span;

/// A scalar as kubectl turns it into JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'t> {
    /// `null`, `~`, or nothing.
    Null,
    /// `true`, but also `yes` and `on`.
    Bool(bool),
    /// An integer, whatever its notation; also a float that is whole, which JSON prints without a point.
    Int(i128),
    /// A number with a fraction.
    Float(f64),
    /// `.inf` or `.nan`, which JSON does not know: the whole document is refused.
    NotJson,
    /// Text.
    Text(&'t str),
}

/// Resolves a scalar as gopkg.in/yaml.v2 does.
pub fn resolve(node: Node<'_>) -> Value<'_> {
    let text = node.text();
    match node.tag() {
        Some("!!str" | "!!binary" | "!!timestamp") => return Value::Text(text),
        Some("!!int" | "!!float" | "!!bool" | "!!null") => return resolve_plain(text),
        // Other tags are dropped without a word.
        _ => {}
    }
    if node.style() == Style::Plain { resolve_plain(text) } else { Value::Text(text) }
}

/// Whether a scalar is null: `~`, `null`, or an empty plain scalar.
pub fn is_null(node: Node<'_>) -> bool {
    node.kind() == Kind::Scalar && resolve(node) == Value::Null
}

fn resolve_plain(text: &str) -> Value<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Value::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Value::Bool(false);
        }
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" | ".nan" | ".NaN"
        | ".NAN" => return Value::NotJson,
        _ => {}
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.')) {
        return Value::Text(text);
    }
    let digits: String = text.chars().filter(|&character| character != '_').collect();
    if !text.starts_with('.')
        && let Some(number) = go_integer(&digits)
    {
        return Value::Int(number);
    }
    if is_yaml_float(&digits)
        && let Ok(number) = digits.parse::<f64>()
        && number.is_finite()
    {
        // encoding/json prints a whole float below 1e21 without point and exponent.
        if number.fract() == 0.0 && number.abs() < 1e21 {
            return Value::Int(number as i128);
        }
        return Value::Float(number);
    }
    Value::Text(text)
}

/// Go's `strconv.ParseInt(text, 0, 64)` or `ParseUint`, plus yaml.v2's own `0b` rule.
fn go_integer(text: &str) -> Option<i128> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = body.to_ascii_lowercase();
    let (radix, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (8, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower.as_str())
    };
    if digits.is_empty() || digits.starts_with(['+', '-']) {
        return None;
    }
    let number = i128::from_str_radix(digits, radix).ok()?;
    let number = if negative { -number } else { number };
    // ParseUint takes no sign.
    let highest = if text.starts_with(['+', '-']) { i128::from(i64::MAX) } else { i128::from(u64::MAX) };
    (number >= i128::from(i64::MIN) && number <= highest).then_some(number)
}

/// yaml.v2's `yamlStyleFloat`: `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`.
fn is_yaml_float(text: &str) -> bool {
    fn digits(text: &str) -> usize {
        text.bytes().take_while(u8::is_ascii_digit).count()
    }
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = digits(text);
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if whole == 0 && count == 0 {
            return false;
        }
        rest = &fraction[count..];
    } else if whole == 0 {
        return false;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// A map key as JSON has it: `on` becomes `true`, `5` stays `5`.
pub fn key(node: Node<'_>) -> std::borrow::Cow<'_, str> {
    match resolve(node) {
        Value::Text(text) => text.into(),
        Value::Bool(value) => if value { "true" } else { "false" }.into(),
        Value::Int(number) => number.to_string().into(),
        Value::Float(number) => number.to_string().into(),
        Value::Null | Value::NotJson => node.text().into(),
    }
}

/// An integer as Tye reads it: quotes do not matter; blanks around it, one sign and decimal digits, within int32.
pub fn tye_integer(text: &str) -> Option<i32> {
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if decimal { text.parse().ok() } else { None }
}

/// A boolean as Tye reads it: `true` or `false` in any case.
pub fn tye_bool(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The source bytes of `start..end` of a scalar's decoded text: exact where text and source agree to the letter and in
/// literal blocks, else the whole scalar.
pub fn source_span(node: Node<'_>, start: usize, end: usize) -> Span {
    if let Some(raw) = node.text_span() {
        let base = raw.start;
        return Span::new(base + start as u32, (base + end as u32).min(raw.end));
    }
    if node.style() == Style::Literal
        && let (Some(from), Some(to)) = (literal_offset(node, start), literal_offset(node, end))
    {
        return Span::new(from, to.max(from));
    }
    node.span()
}

/// Source offset of an offset into a literal block's text, found line by line: a line of the text is the tail of its
/// line in the source.
fn literal_offset(node: Node<'_>, offset: usize) -> Option<u32> {
    let text = node.text();
    let before = text.get(..offset)?;
    let line = before.matches('\n').count();
    let column = offset - before.rfind('\n').map_or(0, |at| at + 1);
    let content = text.split('\n').nth(line)?;
    // The block's span starts at its first content character; go back to the start of that line.
    let source = node.source();
    let first = source[..node.span().start as usize].rfind('\n').map_or(0, |at| at + 1);
    let skipped = text.len() - text.trim_start_matches('\n').len();
    let line = line.checked_sub(skipped)?;
    let mut start = first;
    let mut lines = source[first..].split('\n');
    for _ in 0..line {
        start += lines.next()?.len() + 1;
    }
    let raw = lines.next()?.trim_end_matches('\r');
    let indentation = raw.strip_suffix(content)?.len();
    Some((start + indentation + column) as u32)
}
