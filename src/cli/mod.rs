//! What the user typed, and what follows from it. One file per subcommand; the only place that knows of terminals,
//! streams and exit codes.

mod check;
mod explain;
mod rules;
mod terminal;
mod timeline;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::error::Error;
use crate::model::KubernetesVersion;
use crate::report::Format;

/// Exit code: no finding at or above `--fail-on`.
const CLEAN: u8 = 0;
/// Exit code: a finding at or above `--fail-on`.
const FOUND: u8 = 1;
/// Exit code: wrong usage, or input that could not be read.
const FAILED: u8 = 2;

const EXAMPLES: &str = "\
Examples:
  probelint                          check all manifests below the current folder
  probelint deploy/ tye.yaml         check a folder and a file
  helm template . | probelint -      check what a chart renders
  probelint --profile strict -f json print advice too, as JSON
  probelint explain timeout-too-tight
                                     say what a rule is about
  probelint timeline deploy.yaml     draw what the probes will do, and when

Exit codes:
  0  no finding at or above --fail-on
  1  at least one such finding
  2  wrong usage, or a file that could not be read";

/// Finds health-probe mistakes in Kubernetes manifests and Tye files: which probe restarts what, when, and why.
#[derive(Debug, Parser)]
#[command(name = "probelint", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    global: GlobalArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check files and folders (what happens without a subcommand)
    #[command(after_help = EXAMPLES)]
    Check(CheckArgs),
    /// Print the page of a rule: what it finds, why it matters, what to write instead
    Explain(ExplainArgs),
    /// List all rules
    Rules(RulesArgs),
    /// Draw what the probes of each container will do, and when
    #[command(after_help = timeline::EXAMPLES)]
    Timeline(timeline::TimelineArgs),
}

#[derive(Debug, Args)]
struct GlobalArgs {
    /// Use colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: When,
    /// Print findings only, no summary
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also name the files that were not checked, and say how long it took
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum When {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// Files and folders to check, `-` for standard input [default: .]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Name of standard input in the report; it decides what the name of a file decides
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// How to print findings [default: full on a terminal, else concise]
    #[arg(short = 'f', long, value_enum, value_name = "FORMAT")]
    output_format: Option<FormatName>,
    /// Run only these rules, advice included
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// How much to report
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileName,
    /// Release of the cluster, such as 1.34: also report what it does not know yet, and what it has become stricter about
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<KubernetesVersion>,
    /// The level from which a finding makes the exit code 1
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    fail_on: FailOn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// With source, reasons and corrections, for people
    Full,
    /// One line a finding
    Concise,
    /// For programs; see the README for the fields
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// One page for a browser, with filters and timelines
    Html,
}

impl FormatName {
    const fn format(self) -> Format {
        match self {
            Self::Full => Format::Full,
            Self::Concise => Format::Concise,
            Self::Json => Format::Json,
            Self::Sarif => Format::Sarif,
            Self::Html => Format::Html,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ProfileName {
    /// Errors and warnings
    #[default]
    Recommended,
    /// Advice too
    Strict,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Rejected, or can never do its job
    Error,
    /// Runs, and will hurt
    #[default]
    Warning,
    /// Worth a look; advice is then shown too
    Advice,
    /// Report only
    Never,
}

#[derive(Debug, Args)]
struct ExplainArgs {
    /// The rule
    #[arg(value_name = "RULE")]
    rule: String,
}

#[derive(Debug, Args)]
struct RulesArgs {
    /// How to print the list
    #[arg(short = 'f', long, value_enum, default_value_t, value_name = "FORMAT")]
    output_format: ListFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// A table for people
    #[default]
    Full,
    /// For programs
    Json,
}

/// Runs the program with its arguments (the first is its name) and answers with the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(subcommand_first(arguments.into_iter().collect())) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` come this way too, to standard output and with success.
            let code = if error.use_stderr() { FAILED } else { CLEAN };
            let _ = error.print();
            return code;
        }
    };
    let outcome = match cli.command {
        None => check::run(&cli.check, &cli.global),
        Some(Command::Check(arguments)) => check::run(&arguments, &cli.global),
        Some(Command::Explain(arguments)) => explain::run(&arguments, &cli.global),
        Some(Command::Rules(arguments)) => rules::run(&arguments, &cli.global),
        Some(Command::Timeline(arguments)) => timeline::run(&arguments, &cli.global),
    };
    match outcome {
        Ok(code) => code,
        // The reader of a pipe had enough; that is no failure.
        Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => CLEAN,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            FAILED
        }
    }
}

/// Moves a subcommand that stands behind options to the front, where clap looks for it: `-q check deploy/`.
fn subcommand_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let command = <Cli as clap::CommandFactory>::command();
    let takes_value = |word: &str| {
        let name = word.trim_start_matches('-');
        let option = command.get_arguments().find(|option| {
            if word.starts_with("--") {
                option.get_long() == Some(name)
            } else {
                // In a bundle the last letter is the one that takes the next word.
                option.get_short().is_some_and(|short| name.ends_with(short))
            }
        });
        option.is_some_and(|option| option.get_action().takes_values())
    };
    let mut index = 1;
    while let Some(word) = arguments.get(index).and_then(|word| word.to_str()) {
        if word == "--" || word == "-" {
            break;
        }
        if !word.starts_with('-') {
            if command.get_subcommands().any(|subcommand| subcommand.get_name() == word) {
                let word = arguments.remove(index);
                arguments.insert(1, word);
            }
            break;
        }
        index += 1 + usize::from(!word.contains('=') && takes_value(word));
    }
    arguments
}
