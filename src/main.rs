//! Arguments to the library, its answer to the shell.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(probelint::cli::run(std::env::args_os()))
}
