//! Text in HTML and SVG.

use std::borrow::Cow;

use super::terminal::printable;

/// Text as it must be written between tags and in quoted attributes. Control characters become visible ones.
pub(super) fn escape(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(printable).collect();
    let mut escaped = String::with_capacity(text.len());
    for c in lines.join("\n").chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// The same with parts between backquotes set as code.
pub(super) fn quoted(text: &str) -> String {
    let escaped = escape(text);
    if !escaped.matches('`').count().is_multiple_of(2) {
        return escaped;
    }
    let parts = escaped.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_file_becomes_markup() {
        assert_eq!(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
        assert_eq!(quoted("set `a<b` to 1"), "set <code>a&lt;b</code> to 1");
        assert_eq!(quoted("one ` alone"), "one ` alone");
        assert_eq!(escape("a\u{1b}[1mb\nc\td"), "a␛[1mb\nc\td");
    }
}
