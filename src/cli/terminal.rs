//! What the terminal can show.

use std::io::IsTerminal;

use super::When;
use crate::report::Options;

/// Options of a report that goes to standard output.
pub(super) fn options(color: When) -> Options {
    let is_terminal = std::io::stdout().is_terminal();
    Options {
        color: uses_color(color, is_terminal),
        links: is_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        unicode: !is_terminal || has_unicode_locale(),
        width: width(is_terminal),
        directory: std::env::current_dir().ok().map(|path| path.to_string_lossy().replace('\\', "/")),
        ..Options::default()
    }
}

/// Whether a stream gets colour, by option, environment and kind of stream, in this order.
pub(super) fn uses_color(color: When, is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match color {
        When::Always => true,
        When::Never => false,
        When::Auto if set("NO_COLOR") => false,
        When::Auto if set("CLICOLOR_FORCE") && std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0") => {
            true
        }
        When::Auto => is_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

fn has_unicode_locale() -> bool {
    if cfg!(windows) {
        return true;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| std::env::var(name).ok());
    let first = locale.into_iter().find(|value| !value.is_empty());
    // Without any locale, terminals of this day still show UTF-8.
    first.is_none_or(|value| value.to_ascii_uppercase().replace('-', "").contains("UTF8"))
}

fn width(is_terminal: bool) -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    match columns {
        Some(columns) if columns >= 40 => columns,
        _ if is_terminal => terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).max(40)),
        _ => 100,
    }
}
