//! `probelint explain RULE`.

use super::{CLEAN, ExplainArgs, GlobalArgs, terminal};
use crate::error::Error;
use crate::report;
use crate::rules::{self, RULES};

pub(super) fn run(arguments: &ExplainArgs, global: &GlobalArgs) -> Result<u8, Error> {
    known(&arguments.rule)?;
    if let Some(page) = rules::page(&arguments.rule) {
        report::write_page(page, &terminal::options(global.color), &mut std::io::stdout().lock())?;
    }
    Ok(CLEAN)
}

/// An error with the nearest name for a rule that does not exist.
pub(super) fn known(name: &str) -> Result<(), Error> {
    if RULES.iter().any(|rule| rule.id == name) {
        return Ok(());
    }
    Err(Error::UnknownRule { name: name.to_owned(), nearest: rules::nearest(name) })
}
