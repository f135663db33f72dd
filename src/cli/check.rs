//! `probelint check`: read, lint, report, exit code.

use std::collections::HashSet;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{CLEAN, CheckArgs, FAILED, FOUND, FailOn, GlobalArgs, ProfileName, terminal};
use crate::error::Error;
use crate::finding::Level;
use crate::lint::{self, Outcome, Profile, Settings};
use crate::report::{self, Format};
use crate::rules;
use crate::source::{ReadError, Request, read_all};

pub(super) fn run(arguments: &CheckArgs, global: &GlobalArgs) -> Result<u8, Error> {
    let started = Instant::now();
    let settings = settings(arguments)?;
    let paths = if arguments.paths.is_empty() { vec![PathBuf::from(".")] } else { arguments.paths.clone() };
    let mut named: HashSet<String> = paths.iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
    named.extend(arguments.stdin_filename.clone());
    let request = Request { paths, stdin_name: arguments.stdin_filename.clone(), threads: 0 };

    let files = Mutex::new(Vec::new());
    let passed_over = AtomicU32::new(0);
    let progress = Progress::start(global);
    let reading = read_all(&request, &mut std::io::stdin(), |source| {
        progress.count.fetch_add(1, Ordering::Relaxed);
        // A name that was not typed comes from a folder, or is that of standard input.
        let is_named = named.contains(&source.path) || source.path.starts_with('<');
        match lint::read(source, is_named) {
            Some(file) => {
                // The lock is poisoned only by a panic in another thread, whose file is lost anyway.
                files.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(file);
            }
            None => {
                passed_over.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let files = files.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut outcome = lint::lint(files, passed_over.into_inner(), &settings);
    outcome.unread = reading.errors;
    progress.stop();

    print_report(arguments, global, &outcome)?;
    print_messages(global, &outcome, &reading.warnings, started)?;
    Ok(match arguments.fail_on.level() {
        _ if !outcome.unread.is_empty() => FAILED,
        Some(level) if outcome.findings.iter().any(|finding| finding.level >= level) => FOUND,
        _ => CLEAN,
    })
}

fn settings(arguments: &CheckArgs) -> Result<Settings, Error> {
    for name in arguments.select.iter().chain(&arguments.ignore) {
        super::explain::known(name)?;
    }
    let profile = match arguments.profile {
        // What decides the exit code must be seen.
        ProfileName::Recommended if arguments.fail_on == FailOn::Advice => Profile::Strict,
        ProfileName::Recommended => Profile::Recommended,
        ProfileName::Strict => Profile::Strict,
    };
    Ok(Settings {
        profile,
        select: arguments.select.clone(),
        ignore: arguments.ignore.clone(),
        kubernetes_version: arguments.kubernetes_version,
    })
}

impl FailOn {
    const fn level(self) -> Option<Level> {
        match self {
            Self::Error => Some(Level::Error),
            Self::Warning => Some(Level::Warning),
            Self::Advice => Some(Level::Advice),
            Self::Never => None,
        }
    }
}

/// Findings go to standard output.
fn print_report(arguments: &CheckArgs, global: &GlobalArgs, outcome: &Outcome) -> Result<(), Error> {
    let default = if std::io::stdout().is_terminal() { Format::Full } else { Format::Concise };
    let format = arguments.output_format.map_or(default, super::FormatName::format);
    let mut options = terminal::options(global.color);
    if format == Format::Sarif {
        options.sarif_uri = Some(Box::new(repository_path));
    }
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    report::write(format, outcome, &options, &mut out)?;
    out.flush()?;
    Ok(())
}

/// Everything else goes to standard error.
fn print_messages(
    global: &GlobalArgs,
    outcome: &Outcome,
    warnings: &[ReadError],
    started: Instant,
) -> Result<(), Error> {
    let errors = &outcome.unread;
    let mut err = BufWriter::new(std::io::stderr().lock());
    for (word, problem) in
        warnings.iter().map(|warning| ("warning", warning)).chain(errors.iter().map(|error| ("error", error)))
    {
        writeln!(err, "{word}: {}: {}", problem.path, problem.message)?;
        if !problem.help.is_empty() {
            writeln!(err, "  = help: {}", problem.help)?;
        }
    }
    if global.verbose {
        for kind in &outcome.summary.not_checked {
            for path in &kind.paths {
                writeln!(err, "not checked: {path} ({})", kind.what)?;
            }
        }
        writeln!(err, "took {:.3} s with {} rules", started.elapsed().as_secs_f64(), rules::RULES.len())?;
    }
    if !global.quiet {
        let mut options = terminal::options(global.color);
        options.color = terminal::uses_color(global.color, std::io::stderr().is_terminal());
        report::write_summary(outcome, &options, &mut err)?;
        if !errors.is_empty() {
            let files = if errors.len() == 1 { "1 input".to_owned() } else { format!("{} inputs", errors.len()) };
            writeln!(err, "{files} could not be read")?;
        }
    }
    err.flush()?;
    Ok(())
}

/// The path of a reported file from the root of its git repository, links resolved, since that is what code scanning
/// shows. Outside a repository, from the current folder.
fn repository_path(path: &str) -> String {
    let Ok(real) = Path::new(path).canonicalize() else {
        return path.to_owned();
    };
    let root = real.ancestors().skip(1).find(|folder| folder.join(".git").exists()).map(Path::to_path_buf);
    let root = root.or_else(|| std::env::current_dir().ok()?.canonicalize().ok());
    match root.as_deref().and_then(|root| real.strip_prefix(root).ok()) {
        Some(relative) => relative.to_string_lossy().replace('\\', "/"),
        None => path.to_owned(),
    }
}

/// A line on a terminal that says how far a long run is.
struct Progress {
    count: std::sync::Arc<AtomicU32>,
    stop: Option<(mpsc::Sender<()>, std::thread::JoinHandle<()>)>,
}

impl Progress {
    fn start(global: &GlobalArgs) -> Self {
        let count = std::sync::Arc::new(AtomicU32::new(0));
        if global.quiet || !std::io::stderr().is_terminal() {
            return Self { count, stop: None };
        }
        let (sender, receiver) = mpsc::channel::<()>();
        let shown = std::sync::Arc::clone(&count);
        let thread = std::thread::spawn(move || {
            let mut wait = Duration::from_secs(1);
            let mut wrote = false;
            while receiver.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = write!(std::io::stderr(), "\rread {} files", shown.load(Ordering::Relaxed));
                wait = Duration::from_millis(100);
                wrote = true;
            }
            if wrote {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
        });
        Self { count, stop: Some((sender, thread)) }
    }

    fn stop(self) {
        if let Some((sender, thread)) = self.stop {
            drop(sender);
            let _ = thread.join();
        }
    }
}
