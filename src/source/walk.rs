//! Finds what the command line names: files, folders and standard input. Owns which files are read and what reports
//! call them; leaves the reading of one to `text`, YAML to the callback and the order to the caller.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::Source;
use super::text::{self, Fault, describe, is_pipe};

/// From this many files on, reading them in several threads pays for starting the threads.
const MANY_FILES: usize = 8;

/// Most threads that are ever started; more only fight over the disk.
const MAX_THREADS: usize = 256;

/// The argument that stands for standard input.
const STDIN: &str = "-";

/// The name of standard input when the user gave none.
const STDIN_NAME: &str = "<stdin>";

/// What to read, as the command line says it.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files, folders and `-` for standard input; none means the current folder.
    pub paths: Vec<PathBuf>,
    /// What reports call standard input; `<stdin>` if there is no name.
    pub stdin_name: Option<String>,
    /// Number of threads; 0 chooses by the number of processors.
    pub threads: usize,
}

/// One thing that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The path as reports print it, with `/` between the parts.
    pub path: String,
    /// What is wrong: lower case, no full stop, without the path.
    pub message: String,
    /// What to do about it, in the same style.
    pub help: String,
}

/// How a reading went, apart from the sources that it handed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Files, folders and standard input that could not be read, sorted by path.
    pub errors: Vec<ReadError>,
    /// Lines of ignore files that mean nothing and hid nothing, sorted by path.
    pub warnings: Vec<ReadError>,
    /// Number of sources handed over.
    pub read: usize,
    /// Number of files left out for their size; each is among the errors.
    pub over_size: usize,
    /// Number of pipes, sockets and devices left out; each is among the errors.
    pub not_regular: usize,
}

/// Reads everything that is asked for and calls `each` with every source as soon as it is read, from several threads
/// and in no particular order. No file is read twice, however many ways lead to it, and one that is named is called
/// by that name. What cannot be read is told in the result and stops nothing else.
pub fn read_all(request: &Request, stdin: &mut dyn Read, each: impl Fn(Source) + Sync) -> Reading {
    let reader = Reader { each, read: AtomicUsize::new(0), reading: Mutex::default() };
    let threads = choose_threads(request.threads);
    let targets = reader.sort_out(&request.paths);
    if targets.stdin {
        let name = request.stdin_name.as_deref().unwrap_or(STDIN_NAME);
        reader.hand_over(to_shown(Path::new(name)), text::read_stream(stdin));
    }
    reader.read_files(targets.files, threads);
    if !targets.folders.is_empty() {
        reader.walk(&targets.folders, targets.named, threads);
    }
    reader.into_reading()
}

/// Orders two paths with `/` between the parts: part by part, each byte by byte, so that what is in a folder stays
/// together.
pub fn compare_paths(left: &str, right: &str) -> Ordering {
    left.split('/').cmp(right.split('/'))
}

/// A file to read.
struct Target {
    path: PathBuf,
    shown: String,
}

/// A folder to walk.
struct Folder {
    path: PathBuf,
    /// What stands before the paths of its files in reports: empty for `.`, or ends with `/`.
    prefix: String,
    /// See [`identify`].
    identity: PathBuf,
}

impl Folder {
    /// A path that the walk of this folder found, without the folder.
    fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.path).unwrap_or(path)
    }
}

/// The paths of a request by what they are.
#[derive(Default)]
struct Targets {
    stdin: bool,
    files: Vec<Target>,
    folders: Vec<Folder>,
    /// Identities of everything named but folders.
    named: HashSet<PathBuf>,
}

/// The state that all threads share.
struct Reader<F> {
    each: F,
    read: AtomicUsize,
    reading: Mutex<Reading>,
}

impl<F: Fn(Source) + Sync> Reader<F> {
    /// Looks at each path once and drops repetitions.
    fn sort_out(&self, paths: &[PathBuf]) -> Targets {
        let here = [PathBuf::from(".")];
        let paths = if paths.is_empty() { &here } else { paths };
        let mut targets = Targets::default();
        let mut known_folders = HashSet::new();
        for path in paths {
            if path.as_os_str() == STDIN {
                targets.stdin = true;
                continue;
            }
            if path.as_os_str().is_empty() {
                self.report_empty_path();
                continue;
            }
            let kind = match fs::metadata(path) {
                Ok(metadata) => metadata.file_type(),
                Err(error) => {
                    self.report(to_shown(path), &Fault::new(error, path));
                    continue;
                }
            };
            if kind.is_dir() {
                let identity = identify(path);
                if known_folders.insert(identity.clone()) {
                    targets.folders.push(Folder { path: path.clone(), prefix: to_prefix(path), identity });
                }
            } else if targets.named.insert(identify(path)) {
                if kind.is_file() || is_pipe(kind) {
                    targets.files.push(Target { path: path.clone(), shown: to_shown(path) });
                } else {
                    self.report(to_shown(path), &Fault::NotRegular(describe(kind)));
                }
            }
        }
        targets
    }

    /// Reads the files in this thread if they are few, otherwise in several.
    fn read_files(&self, files: Vec<Target>, threads: usize) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
                self.read_file(&file.path, file.shown.clone());
            }
        };
        if files.len() < MANY_FILES {
            return work();
        }
        thread::scope(|scope| {
            for _ in 1..threads.min(files.len()) {
                // Without a further thread this one does all the work.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
    }

    /// Walks the folders and reads the manifests in them, except those in `named`, which are dealt with already.
    fn walk(&self, folders: &[Folder], named: HashSet<PathBuf>, threads: usize) {
        let Some(first) = folders.first() else {
            return;
        };
        let mut builder = WalkBuilder::new(&first.path);
        for folder in &folders[1..] {
            builder.add(&folder.path);
        }
        builder.threads(threads);
        let walk = Walk {
            folders: folders.iter().map(|folder| (folder.path.as_path(), folder)).collect(),
            identities: folders.iter().map(|folder| folder.identity.as_path()).collect(),
            named: &named,
            read: Mutex::default(),
            links: Mutex::default(),
        };
        builder.build_parallel().run(|| Box::new(|entry| self.visit(&walk, entry)));
        let Walk { read, links, .. } = walk;
        let links = links.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !links.is_empty() {
            let mut known = named;
            known.extend(read.into_inner().unwrap_or_else(PoisonError::into_inner));
            self.read_files(self.resolve(links, known), threads);
        }
    }

    /// Takes what the walk found: reads files, keeps links for later, reports errors.
    fn visit(&self, walk: &Walk<'_>, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                self.report_walk(walk, &error, None, None);
                return WalkState::Continue;
            }
        };
        let path = entry.path();
        let kind = entry.file_type();
        if kind.is_some_and(|kind| kind.is_dir()) {
            if entry.depth() > 0 && walk.folders.len() > 1 {
                let (_, identity) = walk.locate(path, entry.depth());
                // A folder that is named as well is walked once, under the name it was given.
                if walk.identities.contains(identity.as_path()) {
                    return WalkState::Skip;
                }
            }
            if let Some(error) = entry.error() {
                self.report_walk(walk, error, None, None);
            }
            return WalkState::Continue;
        }
        let Some(kind) = kind.filter(|_| is_manifest(path)) else {
            return WalkState::Continue;
        };
        let (shown, identity) = walk.locate(path, entry.depth());
        if kind.is_symlink() {
            push(&walk.links, Target { path: path.to_owned(), shown });
        } else if walk.named.contains(&identity) {
            return WalkState::Continue;
        } else if kind.is_file() {
            push(&walk.read, identity);
            self.read_file(path, shown);
        } else {
            self.report(shown, &Fault::NotRegular(describe(kind)));
        }
        WalkState::Continue
    }

    /// The links that lead to files not in `known`, one for each file: the first by path.
    fn resolve(&self, mut links: Vec<Target>, mut known: HashSet<PathBuf>) -> Vec<Target> {
        links.sort_by(|left, right| compare_paths(&left.shown, &right.shown));
        links.retain(|link| match fs::metadata(&link.path).map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_file() => known.insert(identify(&link.path)),
            Ok(kind) if kind.is_dir() => false,
            Ok(kind) => {
                self.report(link.shown.clone(), &Fault::NotRegular(describe(kind)));
                false
            }
            Err(error) => {
                self.report(link.shown.clone(), &Fault::new(error, &link.path));
                false
            }
        });
        links
    }

    fn read_file(&self, path: &Path, shown: String) {
        self.hand_over(shown, text::read_file(path));
    }

    fn hand_over(&self, shown: String, text: Result<String, Fault>) {
        match text {
            Ok(text) => {
                self.read.fetch_add(1, Relaxed);
                (self.each)(Source::new(shown, text));
            }
            Err(fault) => self.report(shown, &fault),
        }
    }

    fn report(&self, path: String, fault: &Fault) {
        self.update(|reading| {
            match fault {
                Fault::OverSize => reading.over_size += 1,
                Fault::NotRegular(_) => reading.not_regular += 1,
                _ => {}
            }
            reading.errors.push(ReadError { path, message: fault.message(), help: fault.help().to_owned() });
        });
    }

    fn report_empty_path(&self) {
        self.update(|reading| {
            reading.errors.push(ReadError {
                path: "\"\"".to_owned(),
                message: "the path is empty".to_owned(),
                help: "leave it out, or write `.` for the current folder".to_owned(),
            });
        });
    }

    /// Reports an error of the walk, which may hold several, each with the place it belongs to.
    fn report_walk(&self, walk: &Walk<'_>, error: &ignore::Error, path: Option<&Path>, line: Option<u64>) {
        use ignore::Error;
        match error {
            Error::Partial(errors) => {
                for error in errors {
                    self.report_walk(walk, error, path, line);
                }
            }
            Error::WithPath { path, err } => self.report_walk(walk, err, Some(path), line),
            Error::WithLineNumber { line, err } => self.report_walk(walk, err, path, Some(*line)),
            Error::WithDepth { err, .. } => self.report_walk(walk, err, path, line),
            Error::Io(error) if line.is_none() => {
                // The error cannot be moved out of the walk's, and a copy needs only what the words depend on.
                let copy = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
                self.report(walk.show(path), &Fault::Io(copy));
            }
            other => {
                let message = line.map_or_else(|| other.to_string(), |line| format!("line {line}: {other}"));
                let help = "correct the pattern; until then it hides nothing".to_owned();
                let warning = ReadError { path: walk.show(path), message, help };
                self.update(|reading| reading.warnings.push(warning));
            }
        }
    }

    fn update(&self, change: impl FnOnce(&mut Reading)) {
        change(&mut self.reading.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn into_reading(self) -> Reading {
        let mut reading = self.reading.into_inner().unwrap_or_else(PoisonError::into_inner);
        reading.read = self.read.into_inner();
        for errors in [&mut reading.errors, &mut reading.warnings] {
            errors.sort_by(|left, right| {
                compare_paths(&left.path, &right.path).then_with(|| left.message.cmp(&right.message))
            });
            errors.dedup();
        }
        reading
    }
}

/// What the threads of one walk share.
struct Walk<'a> {
    /// The folders by their path.
    folders: HashMap<&'a Path, &'a Folder>,
    identities: HashSet<&'a Path>,
    named: &'a HashSet<PathBuf>,
    /// Identities of the files read.
    read: Mutex<Vec<PathBuf>>,
    /// Links to be looked at when all files are read.
    links: Mutex<Vec<Target>>,
}

impl Walk<'_> {
    /// The name for reports and the identity of a path found `depth` levels below its folder. The walk follows no
    /// links, so the identity needs no question to the file system.
    fn locate(&self, path: &Path, depth: usize) -> (String, PathBuf) {
        match path.ancestors().nth(depth).and_then(|folder| self.folders.get(folder)) {
            Some(folder) => {
                let relative = folder.relative(path);
                (format!("{}{}", folder.prefix, to_shown(relative)), folder.identity.join(relative))
            }
            None => (to_shown(path), identify(path)),
        }
    }

    /// The name for reports of a path in an error. Ignore files above the folders come with absolute paths.
    fn show(&self, path: Option<&Path>) -> String {
        let Some(path) = path else {
            return ".".to_owned();
        };
        if let Some(folder) = path.ancestors().find_map(|ancestor| self.folders.get(ancestor)) {
            let relative = folder.relative(path);
            if relative.as_os_str().is_empty() {
                return to_shown(path);
            }
            return format!("{}{}", folder.prefix, to_shown(relative));
        }
        let here = identify(Path::new("."));
        to_shown(path.strip_prefix(here).unwrap_or(path))
    }
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(item);
}

/// The path that a file or folder has only one of: absolute and free of links. Hard links count as different files.
fn identify(path: &Path) -> PathBuf {
    // Some Windows drives cannot tell the final path.
    fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// A path as reports print it.
fn to_shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(MAIN_SEPARATOR, "/") }
}

/// What stands before the paths of a folder's files: the folder as written with one `/` at the end, nothing for `.`.
fn to_prefix(folder: &Path) -> String {
    let shown = to_shown(folder);
    let mut rest = shown.as_str();
    while let Some(shorter) = rest.strip_suffix('/').or_else(|| rest.strip_suffix("/.")) {
        rest = shorter;
    }
    if rest == "." { String::new() } else { format!("{rest}/") }
}

/// Whether a walk reads files of this name: manifests, and settings of Spring applications.
fn is_manifest(path: &Path) -> bool {
    let Some(ending) = path.extension() else {
        return false;
    };
    if ending.eq_ignore_ascii_case("properties") {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        return name.starts_with("application") || name.starts_with("bootstrap");
    }
    ["yaml", "yml", "json"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn choose_threads(wanted: usize) -> usize {
    let chosen = if wanted == 0 { thread::available_parallelism().map_or(1, NonZero::get).min(12) } else { wanted };
    chosen.clamp(1, MAX_THREADS)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use tempfile::TempDir;

    use super::*;

    /// A folder with files in it, given as paths and texts.
    fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for (path, text) in files {
            write(&folder, path, text.as_bytes());
        }
        folder
    }

    fn write(folder: &TempDir, path: &str, bytes: &[u8]) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Reads and returns the sorted paths and texts of the sources, and what else there was to say.
    fn read(paths: Vec<PathBuf>, threads: usize) -> (Vec<(String, String)>, Reading) {
        let sources = Mutex::new(Vec::new());
        let request = Request { paths, stdin_name: None, threads };
        let reading = read_all(&request, &mut Cursor::new("from stdin"), |source| {
            sources.lock().unwrap().push((source.path, source.text));
        });
        let mut sources = sources.into_inner().unwrap();
        sources.sort_by(|left, right| compare_paths(&left.0, &right.0));
        assert_eq!(reading.read, sources.len());
        (sources, reading)
    }

    /// The paths of what is read from the folder and then from paths in it, without the folder.
    fn names(folder: &TempDir, paths: &[&str]) -> (Vec<String>, Reading) {
        let (sources, reading) = read(paths.iter().map(|path| within(folder, path)).collect(), 0);
        (sources.into_iter().map(|(path, _)| strip(folder, &path)).collect(), reading)
    }

    /// Not `join`, which would tidy up the path.
    fn within(folder: &TempDir, path: &str) -> PathBuf {
        PathBuf::from(format!("{}/{path}", folder.path().display()))
    }

    fn strip(folder: &TempDir, path: &str) -> String {
        path.strip_prefix(&to_prefix(folder.path())).unwrap_or(path).to_owned()
    }

    /// The paths and messages of errors, without the folder.
    fn said(folder: &TempDir, errors: &[ReadError]) -> Vec<(String, String)> {
        errors.iter().map(|error| (strip(folder, &error.path), error.message.clone())).collect()
    }

    fn said_once(path: &str, message: &str) -> Vec<(String, String)> {
        vec![(path.to_owned(), message.to_owned())]
    }

    #[test]
    fn a_walk_reads_manifests_of_any_case_and_nothing_else() {
        let folder = folder(&[("a.yaml", ""), ("B.YML", ""), ("deep/er/c.Json", ""), ("d.txt", ""), ("yaml", "")]);
        let (names, reading) = names(&folder, &[""]);
        assert_eq!(names, ["B.YML", "a.yaml", "deep/er/c.Json"]);
        assert_eq!(reading, Reading { read: 3, ..Reading::default() });
    }

    #[test]
    fn hidden_files_and_folders_are_not_walked() {
        let folder = folder(&[(".hidden/a.yaml", ""), (".b.yaml", ""), ("c.yaml", "")]);
        assert_eq!(names(&folder, &[""]).0, ["c.yaml"]);
    }

    #[test]
    fn gitignore_counts_only_in_a_repository_and_ignore_counts_everywhere() {
        let folder = folder(&[
            (".gitignore", "a.yaml\n"),
            (".ignore", "b.yaml\n"),
            ("a.yaml", ""),
            ("b.yaml", ""),
            ("c.yaml", ""),
        ]);
        assert_eq!(names(&folder, &[""]).0, ["a.yaml", "c.yaml"]);
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert_eq!(names(&folder, &[""]).0, ["c.yaml"]);
    }

    #[test]
    fn gitignore_above_the_walked_folder_counts() {
        let folder = folder(&[(".git/HEAD", ""), (".gitignore", "/a/out/\n"), ("a/out/x.yaml", ""), ("a/y.yaml", "")]);
        assert_eq!(names(&folder, &["a"]).0, ["a/y.yaml"]);
    }

    #[test]
    fn what_is_named_is_read_although_hidden_or_ignored_or_of_another_ending() {
        let folder = folder(&[
            (".git/HEAD", ""),
            (".gitignore", "out/\n"),
            ("out/a.yaml", ""),
            (".b.yaml", ""),
            (".hidden/c.yaml", ""),
            ("d.txt", ""),
        ]);
        let (names, _) = names(&folder, &["", "out", ".b.yaml", ".hidden", "d.txt"]);
        assert_eq!(names, [".b.yaml", ".hidden/c.yaml", "d.txt", "out/a.yaml"]);
    }

    #[test]
    fn a_file_reached_in_several_ways_is_read_once_under_its_first_name() {
        let folder = folder(&[("a/x.yaml", ""), ("a/y.yaml", ""), ("b.yaml", "")]);
        let (names, _) = names(&folder, &["a", "", "a/../a/x.yaml", "a/x.yaml", "a/", "a/."]);
        assert_eq!(names, ["a/../a/x.yaml", "a/y.yaml", "b.yaml"]);
    }

    #[test]
    fn a_folder_named_inside_another_keeps_its_own_name() {
        let folder = folder(&[("a/b/x.yaml", ""), ("a/y.yaml", "")]);
        for paths in [["a", "a/../a/b"], ["a/../a/b", "a"]] {
            assert_eq!(names(&folder, &paths).0, ["a/../a/b/x.yaml", "a/y.yaml"]);
        }
    }

    #[test]
    fn walked_paths_begin_with_the_folder_as_written() {
        for (written, prefix) in [
            (".", ""),
            ("./", ""),
            (".//.", ""),
            ("..", "../"),
            ("../..", "../../"),
            ("a", "a/"),
            ("a//", "a/"),
            ("./a/.", "./a/"),
            ("/", "/"),
            ("/.", "/"),
            ("/a/", "/a/"),
        ] {
            assert_eq!(to_prefix(Path::new(written)), prefix, "{written}");
        }
        if cfg!(windows) {
            assert_eq!(to_prefix(Path::new("C:\\a\\b\\")), "C:/a/b/");
        }
    }

    #[test]
    fn paths_are_ordered_folder_by_folder() {
        let mut paths = ["a-b.yaml", "a/z.yaml", "a", "B/c.yaml", "a/b/c.yaml"];
        paths.sort_by(|left, right| compare_paths(left, right));
        assert_eq!(paths, ["B/c.yaml", "a", "a/b/c.yaml", "a/z.yaml", "a-b.yaml"]);
    }

    #[test]
    fn standard_input_is_read_once_under_the_given_name() {
        let request =
            Request { paths: vec!["-".into(), "-".into()], stdin_name: Some("web/pod.yaml".to_owned()), threads: 1 };
        let sources = Mutex::new(Vec::new());
        let reading = read_all(&request, &mut Cursor::new("kind: Pod"), |source| {
            sources.lock().unwrap().push((source.path, source.text));
        });
        assert_eq!(sources.into_inner().unwrap(), [("web/pod.yaml".to_owned(), "kind: Pod".to_owned())]);
        assert_eq!(reading, Reading { read: 1, ..Reading::default() });
    }

    #[test]
    fn standard_input_without_a_name_has_a_telling_one() {
        let (sources, _) = read(vec!["-".into()], 1);
        assert_eq!(sources, [("<stdin>".to_owned(), "from stdin".to_owned())]);
    }

    #[test]
    fn standard_input_that_fails_is_an_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the line is dead"))
            }
        }
        let request = Request { paths: vec!["-".into()], ..Request::default() };
        let reading = read_all(&request, &mut Broken, |_| {});
        assert_eq!(reading.errors[0].path, "<stdin>");
        assert_eq!(reading.errors[0].message, "cannot be read: the line is dead");
    }

    #[test]
    fn a_missing_path_is_an_error_and_the_rest_is_read() {
        let folder = folder(&[("a.yaml", "")]);
        let (names, reading) = names(&folder, &["no.yaml", "a.yaml", "no.yaml", "a.yaml/b"]);
        assert_eq!(names, ["a.yaml"]);
        let mut expected = said_once("a.yaml/b", "no such file or folder");
        expected.extend(said_once("no.yaml", "no such file or folder"));
        assert_eq!(said(&folder, &reading.errors), expected);
        assert!(reading.errors.iter().all(|error| !error.help.is_empty()));
    }

    #[test]
    fn an_empty_path_is_an_error() {
        let (_, reading) = read(vec![PathBuf::new()], 0);
        assert_eq!(reading.errors[0].message, "the path is empty");
    }

    #[test]
    fn text_that_is_not_utf8_is_an_error_with_its_place() {
        let folder = folder(&[("a.yaml", "")]);
        write(&folder, "latin.yaml", b"a: 1\nb: caf\xE9\n");
        write(&folder, "cut.yaml", b"caf\xC3");
        let (names, reading) = names(&folder, &[""]);
        assert_eq!(names, ["a.yaml"]);
        assert_eq!(
            said(&folder, &reading.errors),
            [
                ("cut.yaml".to_owned(), "not UTF-8: byte 0xC3 at byte offset 3 (line 1)".to_owned()),
                ("latin.yaml".to_owned(), "not UTF-8: byte 0xE9 at byte offset 11 (line 2)".to_owned()),
            ]
        );
        assert_eq!(reading.errors[0].help, "save it as UTF-8");
    }

    #[test]
    fn utf16_is_called_by_its_name() {
        let folder = folder(&[]);
        write(&folder, "big.yaml", b"\xFE\xFF\0a");
        write(&folder, "little.yaml", b"\xFF\xFEa\0");
        let (_, reading) = names(&folder, &[""]);
        assert_eq!(reading.errors.len(), 2);
        for error in &reading.errors {
            assert_eq!(error.message, "the text is UTF-16");
            assert!(error.help.starts_with("save it as UTF-8"), "{}", error.help);
        }
    }

    #[test]
    fn nul_bytes_and_byte_order_marks_are_passed_on() {
        let folder = folder(&[("a.yaml", "\u{feff}a\0b")]);
        let (sources, _) = read(vec![within(&folder, "a.yaml")], 0);
        assert_eq!(sources[0].1, "\u{feff}a\0b");
    }

    #[test]
    #[cfg(target_os = "linux")] // elsewhere the file may take its whole size on the disk
    fn a_file_over_two_gibibytes_is_an_error_and_counted() {
        let folder = folder(&[("a.yaml", "")]);
        fs::File::create(folder.path().join("b.yaml")).unwrap().set_len(text::MAX_BYTES + 1).unwrap();
        let (names, reading) = names(&folder, &[""]);
        assert_eq!(names, ["a.yaml"]);
        assert_eq!(said(&folder, &reading.errors), said_once("b.yaml", "larger than 2 GiB"));
        assert_eq!((reading.over_size, reading.not_regular), (1, 0));
    }

    #[test]
    #[cfg(unix)]
    fn sockets_and_devices_are_errors_and_counted() {
        let folder = folder(&[("a.yaml", "")]);
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("s.yaml")).unwrap();
        let (sources, reading) = read(vec![folder.path().into(), "/dev/null".into(), within(&folder, "s.yaml")], 0);
        assert_eq!(sources.len(), 1);
        let mut expected = said_once("/dev/null", "a device, not a file");
        expected.extend(said_once("s.yaml", "a socket, not a file"));
        assert_eq!(said(&folder, &reading.errors), expected);
        assert_eq!(reading.not_regular, 2);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_does_not_hang() {
        let folder = folder(&[]);
        let pipe = within(&folder, "p.yaml");
        if !std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            return;
        }
        let (_, reading) = read(vec![folder.path().into()], 0);
        assert_eq!(said(&folder, &reading.errors), said_once("p.yaml", "a pipe, not a file"));
    }

    #[test]
    #[cfg(unix)]
    fn linked_folders_are_walked_only_when_named_and_loops_end() {
        use std::os::unix::fs::symlink;
        let folder = folder(&[("a/x.yaml", ""), ("elsewhere/.keep", "")]);
        symlink("..", folder.path().join("a/up")).unwrap();
        symlink("self", folder.path().join("a/self")).unwrap();
        symlink("../a", folder.path().join("elsewhere/in.yaml")).unwrap();
        let (found, reading) = names(&folder, &[""]);
        assert_eq!((found, reading.errors), (vec!["a/x.yaml".to_owned()], Vec::new()));
        assert_eq!(names(&folder, &["elsewhere"]).0, Vec::<String>::new());
        assert_eq!(names(&folder, &["elsewhere/in.yaml"]).0, ["elsewhere/in.yaml/x.yaml"]);
        assert_eq!(names(&folder, &["a/up"]).0, ["a/up/a/x.yaml"]);
        assert_eq!(names(&folder, &["a/up", ""]).0, ["a/up/a/x.yaml"]);
        let (_, reading) = names(&folder, &["a/self"]);
        assert_eq!(reading.errors.len(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn a_linked_file_is_read_unless_its_target_is_read_too() {
        use std::os::unix::fs::symlink;
        let outside = folder(&[("far.yaml", "far")]);
        let folder = folder(&[("b/real.yaml", "near"), (".data/mounted.yaml", "mounted")]);
        symlink("b/real.yaml", folder.path().join("a.yaml")).unwrap();
        symlink(".data/mounted.yaml", folder.path().join("m.yaml")).unwrap();
        symlink(outside.path().join("far.yaml"), folder.path().join("z2.yaml")).unwrap();
        symlink("z2.yaml", folder.path().join("z1.yaml")).unwrap();
        symlink("b/real.yaml", folder.path().join("other-ending")).unwrap();
        assert_eq!(names(&folder, &[""]).0, ["b/real.yaml", "m.yaml", "z1.yaml"]);
        assert_eq!(names(&folder, &["", "a.yaml"]).0, ["a.yaml", "m.yaml", "z1.yaml"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_nothing_is_an_error() {
        let folder = folder(&[]);
        std::os::unix::fs::symlink("nowhere", folder.path().join("a.yaml")).unwrap();
        for path in ["", "a.yaml"] {
            let (_, reading) = names(&folder, &[path]);
            assert_eq!(said(&folder, &reading.errors), said_once("a.yaml", "the symbolic link points to nothing"));
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_may_not_be_read_is_an_error_and_the_rest_is_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder(&[("a.yaml", ""), ("closed/b.yaml", ""), ("secret.yaml", "")]);
        let lock = |path: &str, mode| {
            fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        lock("closed", 0o000);
        lock("secret.yaml", 0o000);
        let is_above_permissions = fs::File::open(folder.path().join("secret.yaml")).is_ok();
        let (names, reading) = names(&folder, &[""]);
        lock("closed", 0o755);
        if is_above_permissions {
            return;
        }
        assert_eq!(names, ["a.yaml"]);
        let mut expected = said_once("closed", "permission denied");
        expected.extend(said_once("secret.yaml", "permission denied"));
        assert_eq!(said(&folder, &reading.errors), expected);
    }

    #[test]
    #[cfg(target_os = "linux")] // other file systems refuse such names
    fn names_that_are_not_utf8_are_read_and_shown_as_well_as_possible() {
        use std::os::unix::ffi::OsStrExt;
        let folder = folder(&[]);
        let path = folder.path().join(std::ffi::OsStr::from_bytes(b"caf\xE9.yaml"));
        fs::write(path, "a: 1").unwrap();
        assert_eq!(names(&folder, &[""]).0, ["caf\u{fffd}.yaml"]);
    }

    #[test]
    fn a_pattern_that_means_nothing_is_a_warning() {
        let folder = folder(&[(".ignore", "b.yaml\n[z-a]\n"), ("a.yaml", ""), ("b.yaml", ""), ("sub/c.yaml", "")]);
        for (path, expected) in [("", ["a.yaml"].as_slice()), ("sub", &["sub/c.yaml"])] {
            let (found, reading) = names(&folder, &[path]);
            assert_eq!(found.first().map(String::as_str), expected.first().copied());
            assert_eq!(reading.errors, []);
            assert_eq!(reading.warnings.len(), 1);
            assert!(reading.warnings[0].path.ends_with(".ignore"), "{:?}", reading.warnings);
            assert!(reading.warnings[0].message.starts_with("line 2: "), "{:?}", reading.warnings);
        }
    }

    #[test]
    fn many_files_give_the_same_result_with_any_number_of_threads() {
        let folder = folder(&[]);
        let mut files = Vec::new();
        for number in 0..500 {
            let path = format!("{}/{}/{number}.yaml", number % 7, number % 3);
            write(&folder, &path, format!("number: {number}").as_bytes());
            files.push(within(&folder, &path));
        }
        let (expected, _) = read(vec![folder.path().into()], 1);
        assert_eq!(expected.len(), 500);
        for threads in [0, 2, 8] {
            assert_eq!(read(vec![folder.path().into()], threads).0, expected);
            assert_eq!(read(files.clone(), threads).0, expected);
        }
    }

    #[test]
    fn a_few_files_are_read_in_the_calling_thread() {
        let folder = folder(&[("a", ""), ("b", ""), ("c", "")]);
        let request = Request { paths: ["a", "b", "c"].map(|path| within(&folder, path)).into(), ..Request::default() };
        let here = thread::current().id();
        let reading = read_all(&request, &mut Cursor::new(""), |_| assert_eq!(thread::current().id(), here));
        assert_eq!(reading.read, 3);
    }
}
