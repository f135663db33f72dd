//! The program as a user meets it: arguments, streams, exit codes and formats.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Nothing to say about this one under any profile.
const CLEAN: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: clean
spec:
  containers:
    - name: app
      image: example.org/clean:1
      readinessProbe:
        httpGet: {path: /ready, port: 8080}
        periodSeconds: 10
        timeoutSeconds: 3
  restartPolicy: OnFailure
";

/// An error, on line 11.
const ERROR: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: wrong
spec:
  containers:
    - name: app
      image: example.org/wrong:1
      startupProbe:
        httpGet: {path: /live, port: 8080}
        successThreshold: 2
        timeoutSeconds: 3
        failureThreshold: 30
";

/// A warning with a label and an unsafe fix, on line 12.
const WARNING: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: late
spec:
  containers:
    - name: app
      image: example.org/late:1
      readinessProbe:
        httpGet: {path: /ready, port: 8080}
        periodSeconds: 5
        timeoutSeconds: 12
  restartPolicy: OnFailure
";

/// Advice and nothing above it.
const ADVICE: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: slow
spec:
  containers:
    - name: app
      image: example.org/slow:1
      livenessProbe:
        httpGet: {path: /live, port: 8080}
        timeoutSeconds: 3
";

const TEMPLATE: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: {{ include \"name\" . }}
spec:
  {{- toYaml .Values.pod | nindent 2 }}
";

/// A folder to run the program in.
struct Folder(TempDir);

/// What a run left behind.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        for (path, text) in files {
            folder.write(path, text.as_bytes());
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The program with nothing of the environment that changes what it prints or reads.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probelint"));
        for name in
            ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "LC_ALL", "LC_CTYPE", "LANG", "GIT_DIR"]
        {
            command.env_remove(name);
        }
        // A global gitignore hides nothing here.
        command.env("HOME", self.path()).env("XDG_CONFIG_HOME", self.path());
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::new(self.command(arguments).output().unwrap())
    }

    fn pipe(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Run::new(child.wait_with_output().unwrap())
    }
}

impl Run {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The files with findings, each once, from a concise report.
    fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.stdout.lines().map(|line| line.split(':').next().unwrap()).collect();
        paths.dedup();
        paths
    }

    /// The rules of the findings, from a concise report.
    fn rules(&self) -> Vec<&str> {
        self.stdout.lines().map(|line| line.split(['[', ']']).nth(1).unwrap()).collect()
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

// What is read.

#[test]
fn without_a_path_the_current_folder_is_checked() {
    let run = Folder::new(&[("a.yaml", ERROR), ("b/c.yml", WARNING), ("b/d.json", "{}")]).run(&[]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.paths(), ["a.yaml", "b/c.yml"]);
    assert!(run.stderr.contains("(3 files)"), "{run:?}");
}

#[test]
fn files_and_folders_are_called_as_the_user_called_them() {
    let folder = Folder::new(&[("a.yaml", ERROR), ("b/c.yaml", ERROR), ("d/e.yaml", ERROR)]);
    assert_eq!(folder.run(&["b", "./a.yaml"]).paths(), ["./a.yaml", "b/c.yaml"]);
    assert_eq!(folder.run(&["check", "b/", "d"]).paths(), ["b/c.yaml", "d/e.yaml"]);
}

#[test]
fn a_file_that_is_named_twice_is_reported_once() {
    let run = Folder::new(&[("b/c.yaml", ERROR)]).run(&["b", "b/c.yaml", "b/c.yaml"]);
    assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
}

#[test]
fn what_git_ignores_is_not_walked_but_read_when_named() {
    let folder = Folder::new(&[
        (".gitignore", "generated/\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("generated/a.yaml", ERROR),
        ("b.yaml", WARNING),
    ]);
    assert_eq!(folder.run(&["."]).paths(), ["b.yaml"]);
    assert_eq!(folder.run(&["generated/a.yaml"]).paths(), ["generated/a.yaml"]);
}

#[test]
fn a_named_file_is_checked_whatever_its_ending() {
    let folder = Folder::new(&[("manifest.txt", ERROR), ("manifest", ERROR)]);
    assert_eq!(folder.run(&["."]).paths(), Vec::<&str>::new());
    assert_eq!(folder.run(&["manifest.txt", "manifest"]).paths(), ["manifest", "manifest.txt"]);
}

#[test]
fn standard_input_is_checked_under_the_name_it_is_given() {
    let folder = Folder::new(&[]);
    assert_eq!(folder.pipe(&["-"], ERROR).paths(), ["<stdin>"]);
    let run = folder.pipe(&["-", "--stdin-filename", "deploy/web.yaml"], ERROR);
    assert_eq!((run.code, run.paths()), (Some(1), vec!["deploy/web.yaml"]));
}

#[test]
fn the_name_of_standard_input_decides_what_a_name_decides() {
    let folder = Folder::new(&[]);
    let run = folder.pipe(&["-", "--stdin-filename", "chart/templates/web.yaml"], TEMPLATE);
    assert!(run.stderr.contains("1 Helm template"), "{run:?}");
    let run = folder.pipe(&["-"], TEMPLATE);
    assert!(run.stderr.contains("1 template"), "{run:?}");
}

#[test]
fn broken_yaml_on_standard_input_is_found_with_and_without_a_name() {
    let folder = Folder::new(&[]);
    for arguments in [["-"].as_slice(), &["-", "--stdin-filename", "web.yaml"]] {
        let run = folder.pipe(arguments, "a: [\n");
        assert_eq!((run.code, run.rules()), (Some(1), vec!["syntax-error"]), "{arguments:?}");
    }
}

#[test]
fn json_manifests_are_checked() {
    let text = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [
        {"name": "c", "image": "i", "startupProbe": {"tcpSocket": {"port": 1}, "failureThreshold": 30,
         "successThreshold": 2}}]}}"#;
    let run = Folder::new(&[("pod.json", text)]).run(&[]);
    assert_eq!(run.rules(), ["liveness-success-threshold"]);
}

// What cannot be read.

#[test]
fn a_missing_path_is_an_error_and_the_rest_is_still_checked() {
    let run = Folder::new(&[("a.yaml", ERROR)]).run(&["missing.yaml", "a.yaml"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.paths(), ["a.yaml"]);
    assert!(run.stderr.contains("error: missing.yaml: no such file or folder\n  = help: "), "{run:?}");
    assert!(run.stderr.ends_with("1 input could not be read\n"), "{run:?}");
}

#[test]
fn a_file_that_is_not_utf8_is_an_error_and_the_rest_is_still_checked() {
    let folder = Folder::new(&[("a.yaml", WARNING)]);
    folder.write("latin.yaml", b"# ok\nname: caf\xE9\n");
    folder.write("wide.yaml", b"\xFF\xFEa\0");
    let run = folder.run(&[]);
    assert_eq!((run.code, run.paths()), (Some(2), vec!["a.yaml"]));
    assert!(run.stderr.contains("error: latin.yaml: not UTF-8: byte 0xE9 at byte offset 14 (line 2)"), "{run:?}");
    assert!(run.stderr.contains("error: wide.yaml: the text is UTF-16"), "{run:?}");
    assert!(run.stderr.contains("2 inputs could not be read"), "{run:?}");
}

#[test]
fn standard_input_that_is_not_utf8_is_an_error() {
    let folder = Folder::new(&[]);
    folder.write("bytes", b"a: \xE9\n");
    let bytes = fs::File::open(folder.path().join("bytes")).unwrap();
    let run = Run::new(folder.command(&["-"]).stdin(bytes).output().unwrap());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("error: <stdin>: not UTF-8"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn what_cannot_be_opened_is_an_error_even_when_nothing_is_to_fail() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[("a.yaml", ERROR), ("locked.yaml", CLEAN)]);
    std::os::unix::fs::symlink("nowhere", folder.path().join("link.yaml")).unwrap();
    let locked = folder.path().join("locked.yaml");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let run = folder.run(&["--fail-on", "never"]);
    assert_eq!((run.code, run.paths()), (Some(2), vec!["a.yaml"]));
    assert!(run.stderr.contains("error: link.yaml: the symbolic link points to nothing"), "{run:?}");
    // The administrator may read everything.
    let is_readable = fs::File::open(&locked).is_ok();
    assert_eq!(run.stderr.contains("error: locked.yaml: permission denied"), !is_readable, "{run:?}");
}

#[test]
fn errors_are_printed_though_the_run_is_quiet() {
    let run = Folder::new(&[]).run(&["-q", "missing.yaml"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: missing.yaml: "), "{run:?}");
}

// Exit codes.

#[test]
fn the_exit_code_follows_the_highest_level() {
    for (text, profile, codes) in [
        (ERROR, "recommended", [1, 1, 1, 0]),
        (WARNING, "recommended", [0, 1, 1, 0]),
        (ADVICE, "strict", [0, 0, 1, 0]),
        (CLEAN, "strict", [0, 0, 0, 0]),
    ] {
        let folder = Folder::new(&[("a.yaml", text)]);
        for (level, code) in ["error", "warning", "advice", "never"].into_iter().zip(codes) {
            let run = folder.run(&["--profile", profile, "--fail-on", level]);
            assert_eq!(run.code, Some(code), "--fail-on {level}: {run:?}");
        }
        let default = folder.run(&["--profile", profile]);
        assert_eq!(default.code, Some(codes[1]), "without --fail-on: {default:?}");
    }
}

#[test]
fn wrong_usage_is_told_on_standard_error() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    for arguments in [
        ["--no-such-option"].as_slice(),
        &["--fail-on", "fatal"],
        &["-f", "xml"],
        &["--quiet", "--verbose"],
        &["explain"],
        &["explain", "no-such-rule-at-all"],
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.starts_with("error: "), "{run:?}");
    }
}

#[test]
fn an_option_may_stand_before_the_subcommand() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    let run = folder.run(&["-q", "check", "a.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let run = folder.run(&["--color", "never", "explain", "syntax-error"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

// Which rules run.

#[test]
fn select_runs_only_what_it_names_and_ignore_the_rest() {
    let folder = Folder::new(&[("a.yaml", ERROR), ("b.yaml", WARNING)]);
    let rules =
        |arguments: &[&str]| -> Vec<String> { folder.run(arguments).rules().into_iter().map(str::to_owned).collect() };
    let (error, warning) = ("liveness-success-threshold", "timeout-exceeds-period");
    assert_eq!(rules(&[]), [error, warning]);
    assert_eq!(rules(&["--select", warning]), [warning]);
    assert_eq!(rules(&["--ignore", warning]), [error]);
    assert_eq!(rules(&["--select", &format!("{warning},{error}")]), [error, warning]);
    assert_eq!(rules(&["--select", warning, "--select", error, "--ignore", error]), [warning]);
}

#[test]
fn advice_is_hidden_until_it_is_asked_for() {
    let folder = Folder::new(&[("a.yaml", ADVICE)]);
    let run = folder.run(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    assert!(run.stderr.contains("1 piece of advice hidden; show with --profile strict"), "{run:?}");
    let run = folder.run(&["--profile", "strict"]);
    assert_eq!((run.code, run.rules()), (Some(0), vec!["startup-probe-missing"]));
    assert!(!run.stderr.contains("hidden"), "{run:?}");
    assert_eq!(folder.run(&["--select", "startup-probe-missing"]).rules(), ["startup-probe-missing"]);
}

#[test]
fn an_unknown_rule_is_wrong_usage_and_the_nearest_name_is_offered() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    for arguments in [
        ["--select", "timeout-to-tight"].as_slice(),
        &["--ignore", "syntax-error,timeout-to-tight"],
        &["explain", "timeout-to-tight"],
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert_eq!(run.stderr, "error: there is no rule `timeout-to-tight`; did you mean `timeout-too-tight`?\n");
    }
    let run = folder.run(&["--select", "xxxxxxxxxxxx"]);
    assert!(run.stderr.contains("`probelint rules` lists them all"), "{run:?}");
}

// Streams.

#[test]
fn findings_go_to_standard_output_and_the_summary_to_standard_error() {
    let folder = Folder::new(&[("a.yaml", ERROR), ("b.yaml", WARNING)]);
    for format in ["full", "concise", "json", "sarif"] {
        let run = folder.run(&["-f", format]);
        assert!(run.stdout.contains("timeout-exceeds-period"), "{format}: {run:?}");
        assert!(!run.stdout.contains("found 1 error"), "{format}: {run:?}");
        let expected = "found 1 error and 1 warning: checked 2 probes in 2 workloads (2 files)\n";
        assert_eq!(run.stderr, expected, "{format}");
    }
}

#[test]
fn clean_input_says_so_in_one_line_and_prints_no_finding() {
    let folder = Folder::new(&[("a.yaml", CLEAN)]);
    for format in ["full", "concise"] {
        let run = folder.run(&["-f", format]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{format}");
        assert_eq!(run.stderr, "no problems found: checked 1 probe in 1 workload (1 file)\n", "{format}");
    }
}

#[test]
fn a_folder_with_nothing_to_check_does_not_claim_success() {
    let run = Folder::new(&[("README.md", "# hello\n")]).run(&[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "no files to check\n"));
    let run = Folder::new(&[("values.yaml", "a: 1\n"), ("b.yaml", "apiVersion: v1\nkind: Secret\n")]).run(&[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "no workloads found in 2 files\n"));
}

#[test]
fn a_quiet_run_prints_findings_only() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    let run = folder.run(&["--quiet"]);
    assert_eq!((run.code, run.stdout.lines().count(), run.stderr.as_str()), (Some(1), 1, ""));
}

#[test]
fn a_verbose_run_names_what_was_not_checked_and_tells_the_time() {
    let folder = Folder::new(&[("chart/templates/web.yaml", TEMPLATE), ("a.yaml", CLEAN)]);
    let run = folder.run(&["-v"]);
    assert!(run.stderr.contains("not checked: chart/templates/web.yaml (Helm template)\n"), "{run:?}");
    assert!(run.stderr.lines().any(|line| line.starts_with("took ")), "{run:?}");
    assert_eq!(run.stdout, "");
}

#[test]
fn without_a_terminal_the_format_is_concise() {
    let folder = Folder::new(&[("a.yaml", ERROR), ("b.yaml", WARNING)]);
    let run = folder.run(&[]);
    assert_eq!(run.stdout, folder.run(&["-f", "concise"]).stdout);
    assert!(run.stdout.starts_with("a.yaml:11:27: error[liveness-success-threshold] "), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2);
}

#[test]
fn the_full_format_shows_place_reason_remedy_and_fix() {
    let run = Folder::new(&[("a.yaml", WARNING)]).run(&["-f", "full"]);
    for part in [
        "[a.yaml:12:25]",
        "timeoutSeconds: 12",
        "= why: ",
        "= help: ",
        "unsafe fix",
        "11 +         periodSeconds: 12",
        "probelint explain timeout-exceeds-period",
    ] {
        assert!(run.stdout.contains(part), "{part} is missing: {}", run.stdout);
    }
}

#[test]
fn output_has_colour_only_when_it_is_wanted() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    let is_coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = folder.command(arguments);
        let run = Run::new(command.envs(environment.iter().copied()).output().unwrap());
        assert_eq!(run.stdout.contains('\x1b'), run.stderr.contains('\x1b'), "{arguments:?}: {run:?}");
        run.stdout.contains('\x1b')
    };
    for format in ["full", "concise"] {
        assert!(!is_coloured(&["-f", format], &[]));
        assert!(!is_coloured(&["-f", format], &[("CLICOLOR_FORCE", "0")]));
        assert!(is_coloured(&["-f", format], &[("CLICOLOR_FORCE", "1")]));
        assert!(!is_coloured(&["-f", format], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
        assert!(is_coloured(&["-f", format, "--color", "always"], &[("NO_COLOR", "1")]));
        assert!(!is_coloured(&["-f", format, "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    }
}

#[test]
fn formats_for_programs_have_no_colour() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    for format in ["json", "sarif"] {
        let run = folder.run(&["-f", format, "--color", "always"]);
        assert_eq!(run.stdout, folder.run(&["-f", format]).stdout);
        assert!(!run.stdout.contains('\x1b'), "{run:?}");
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let folder = Folder::new(&[("a.yaml", ERROR), ("b.yaml", WARNING)]);
    for arguments in [
        ["-f", "concise"].as_slice(),
        &["-f", "full"],
        &["-f", "json"],
        &["-f", "sarif"],
        &["rules"],
        &["rules", "-f", "json"],
        &["explain", "syntax-error"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = Run::new(folder.command(arguments).stdout(writer).output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    for arguments in [["-f", "concise"].as_slice(), &["-f", "json"], &["rules"], &["rules", "-f", "json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = Run::new(folder.command(arguments).stdout(full).output().unwrap());
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains("error: the output cannot be written: "), "{run:?}");
    }
}

#[test]
fn output_does_not_depend_on_threads_or_the_order_of_arguments() {
    let names: Vec<String> = (0..200).map(|index| format!("team-{}/app-{index}.yaml", index % 7)).collect();
    let files: Vec<(&str, &str)> =
        names.iter().enumerate().map(|(index, name)| (name.as_str(), [ERROR, WARNING, ADVICE][index % 3])).collect();
    let folder = Folder::new(&files);
    for format in ["concise", "json"] {
        let first = folder.run(&["-f", format, "--profile", "strict"]);
        for _ in 0..4 {
            assert_eq!(folder.run(&["-f", format, "--profile", "strict"]).stdout, first.stdout);
        }
    }
    let mut arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    let forwards = folder.run(&arguments);
    arguments.reverse();
    assert_eq!(forwards.stdout, folder.run(&arguments).stdout);
    let mut sorted: Vec<&str> = forwards.stdout.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(sorted.len(), 134);
    sorted.sort_by(|a, b| a.split('/').cmp(b.split('/')));
    assert_eq!(forwards.paths(), sorted);
}

// Documents.

#[test]
fn a_syntax_error_leaves_the_other_documents_checked() {
    let text = format!("{ERROR}---\na: [\n---\n{WARNING}");
    let run = Folder::new(&[("a.yaml", &text)]).run(&["-f", "json"]);
    let findings = run.json()["findings"].as_array().unwrap().clone();
    let found: Vec<_> =
        findings.iter().map(|it| (it["rule"].as_str().unwrap(), it["document"].as_u64().unwrap())).collect();
    assert_eq!(found, [("liveness-success-threshold", 0), ("syntax-error", 1), ("timeout-exceeds-period", 2)]);
    assert_eq!(findings[1]["start"]["line"], 15);
}

#[test]
fn a_helm_template_is_counted_and_is_no_syntax_error() {
    let folder = Folder::new(&[("chart/templates/web.yaml", TEMPLATE), ("a.yaml", CLEAN)]);
    let run = folder.run(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    assert_eq!(
        run.stderr,
        "no problems found in what could be checked: 1 probe in 1 workload (2 files)\nnot checked: 1 Helm template\n"
    );
    assert_eq!(folder.run(&["-f", "json"]).json()["summary"]["notChecked"], 1);
}

#[test]
fn a_service_in_another_file_is_seen() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: p}}\nspec:\n  containers:\n    - name: c\n      \
               image: i\n      ports: [{containerPort: 80}]\n";
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  selector: {app: p}\n  ports: [{port: 80}]\n";
    let folder = Folder::new(&[("pod.yaml", pod), ("service.yaml", service)]);
    assert_eq!(folder.run(&["pod.yaml"]).stdout, "");
    assert_eq!(folder.run(&["."]).rules(), ["readiness-missing"]);
}

#[test]
fn lines_and_columns_are_right_behind_a_mark_wide_characters_and_carriage_returns() {
    let line = "      startupProbe: {exec: {command: [\"größe-🙂\"]}, failureThreshold: 30, successThreshold: 2}";
    let text = format!(
        "\u{feff}# größe 🙂\r\napiVersion: v1\r\nkind: Pod\r\nmetadata: {{name: p}}\r\nspec:\r\n  containers:\r\n    - name: \
         c\r\n      image: i\r\n{line}\r\n"
    );
    let before = line.strip_suffix("2}").unwrap();
    let column = before.chars().count() + 1;
    let offset = text.find(line).unwrap() + before.len();
    let folder = Folder::new(&[("a.yaml", &text)]);

    let concise = folder.run(&[]);
    assert!(concise.stdout.starts_with(&format!("a.yaml:9:{column}: error[")), "{concise:?}");

    let json = folder.run(&["-f", "json"]).json();
    let (start, end) = (&json["findings"][0]["start"], &json["findings"][0]["end"]);
    assert_eq!(*start, serde_json::json!({"line": 9, "column": column, "offset": offset}));
    assert_eq!(*end, serde_json::json!({"line": 9, "column": column + 1, "offset": offset + 1}));

    let sarif = folder.run(&["-f", "sarif"]).json();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    // One character of the line takes two UTF-16 units.
    assert_eq!((&region["startLine"], &region["startColumn"]), (&Value::from(9), &Value::from(column + 1)));
    assert_eq!(before.encode_utf16().count() + 1, column + 1);
}

// Formats for programs.

#[test]
fn json_has_every_member_of_its_contract() {
    let folder = Folder::new(&[("a.yaml", WARNING), ("b.yaml", ADVICE), ("c.yaml", "kind: [\napiVersion: v1\n")]);
    let report = folder.run(&["-f", "json"]).json();
    let place = "line column offset";
    assert_members(&report, "schemaVersion:number tool:object summary:object findings:array");
    assert_eq!(report["schemaVersion"], 1);
    assert_eq!(report["tool"], serde_json::json!({"name": "probelint", "version": env!("CARGO_PKG_VERSION")}));
    let numbers = "files documents workloads containers probes notChecked suppressed";
    assert_members(&report["summary"], &format!("{} findings:object", as_numbers(numbers)));
    assert_members(&report["summary"]["findings"], &as_numbers("error warning advice"));
    assert_eq!(report["summary"]["findings"], serde_json::json!({"error": 1, "warning": 1, "advice": 0}));
    assert_eq!(report["summary"]["files"], 3);

    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 2);
    for finding in findings {
        assert_members(
            finding,
            "rule:string group:string level:string confidence:string path:string document:number start:object end:object \
             subject:string fieldPath:string message:string why:string help:string labels:array suppressed:null",
        );
        assert_members(&finding["start"], &as_numbers(place));
        assert_members(&finding["end"], &as_numbers(place));
        for word in ["rule", "group", "message"] {
            assert_ne!(finding[word], "", "{word}: {finding}");
        }
    }
    let warning = &findings[0];
    assert_eq!(warning["level"], "warning");
    assert_eq!(warning["confidence"], "high");
    assert_eq!(warning["path"], "a.yaml");
    assert_eq!(warning["subject"], "Pod/late > app > readinessProbe");
    assert_eq!(warning["fieldPath"], "spec.containers[0].readinessProbe.timeoutSeconds");
    let note = "path:string start:object end:object text:string";
    assert_members(&warning["labels"][0], note);
    assert_members(&warning["labels"][0]["start"], &as_numbers(place));
    assert_members(&warning["fix"], "title:string safety:string edits:array");
    assert_eq!(warning["fix"]["safety"], "unsafe");
    assert_members(&warning["fix"]["edits"][0], note);
    assert_members(&warning["fix"]["edits"][0]["end"], &as_numbers(place));
    let broken = &findings[1];
    assert_eq!((&broken["rule"], &broken["fix"]), (&Value::from("syntax-error"), &Value::Null));
}

/// Asserts that a value has these members with these types; it may have more.
#[track_caller]
fn assert_members(value: &Value, members: &str) {
    for member in members.split_whitespace() {
        let (name, kind) = member.split_once(':').unwrap();
        let found = match &value[name] {
            Value::Number(number) if number.is_u64() => "number",
            Value::Null if value.get(name).is_some() => "null",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            _ => "something else",
        };
        assert_eq!(found, kind, "{name} of {value}");
    }
}

fn as_numbers(names: &str) -> String {
    names.split(' ').map(|name| format!("{name}:number ")).collect()
}

#[test]
fn the_edits_in_json_mend_the_file() {
    let folder = Folder::new(&[("a.yaml", ERROR)]);
    let report = folder.run(&["-f", "json"]).json();
    let edits = report["findings"][0]["fix"]["edits"].as_array().unwrap();
    assert_eq!(edits.len(), 1);
    let offset = |place: &str| edits[0][place]["offset"].as_u64().unwrap() as usize;
    let mut text = ERROR.to_owned();
    text.replace_range(offset("start")..offset("end"), edits[0]["text"].as_str().unwrap());
    assert_eq!(text, ERROR.replace("successThreshold: 2", "successThreshold: 1"));
    folder.write("a.yaml", text.as_bytes());
    assert_eq!(folder.run(&[]).code, Some(0));
}

#[test]
fn json_and_sarif_are_complete_reports_when_there_is_nothing_to_report() {
    let folder = Folder::new(&[("a.yaml", CLEAN)]);
    let json = folder.run(&["-f", "json"]).json();
    assert_eq!((&json["findings"], &json["summary"]["probes"]), (&serde_json::json!([]), &Value::from(1)));
    let sarif = folder.run(&["-f", "sarif"]).json();
    assert_eq!((&sarif["version"], &sarif["runs"][0]["results"]), (&Value::from("2.1.0"), &serde_json::json!([])));
}

#[test]
fn sarif_is_valid_by_the_schema_of_the_standard() {
    let schema: Value = serde_json::from_str(include_str!("schemas/sarif-2.1.0.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let folder = Folder::new(&[("größe 1/a.yaml", ERROR), ("b.yaml", WARNING), ("c.yaml", "apiVersion: [\n")]);
    let report = folder.run(&["-f", "sarif", "--profile", "strict"]).json();
    let errors: Vec<_> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(sarif_paths(&report), ["b.yaml", "c.yaml", "gr%C3%B6%C3%9Fe%201/a.yaml"]);
}

fn sarif_paths(report: &Value) -> Vec<&str> {
    let results = report["runs"][0]["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap())
        .collect()
}

#[test]
fn sarif_names_files_from_the_root_of_the_repository() {
    let folder =
        Folder::new(&[(".git/HEAD", "ref: refs/heads/main\n"), ("deploy/web/a.yaml", ERROR), ("other/b.yaml", ERROR)]);
    let run = |path: &str, arguments: &[&str]| -> Value {
        let mut command = folder.command(arguments);
        Run::new(command.current_dir(folder.path().join(path)).output().unwrap()).json()
    };
    assert_eq!(sarif_paths(&run("deploy", &["-f", "sarif"])), ["deploy/web/a.yaml"]);
    assert_eq!(sarif_paths(&run("deploy/web", &["-f", "sarif", "../../other"])), ["other/b.yaml"]);
    let absolute = folder.path().join("other/b.yaml");
    assert_eq!(sarif_paths(&run("deploy", &["-f", "sarif", absolute.to_str().unwrap()])), ["other/b.yaml"]);
    assert_eq!(run("deploy", &["-f", "json"])["findings"][0]["path"], "web/a.yaml");
}

// The other subcommands.

#[test]
fn every_rule_is_listed_and_explained() {
    let folder = Folder::new(&[]);
    let list = folder.run(&["rules"]);
    assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
    let rows = folder.run(&["rules", "-f", "json"]).json();
    let rows = rows.as_array().unwrap();
    let pages = fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("rules")).unwrap();
    let pages = pages.filter(|page| page.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "md"));
    assert_eq!(rows.len(), pages.count());
    for row in rows {
        assert_members(
            row,
            "id:string group:string level:string confidence:string appliesTo:array supersedes:array since:string summary:string",
        );
        let (id, summary) = (row["id"].as_str().unwrap(), row["summary"].as_str().unwrap());
        let is_listed = list.stdout.lines().any(|line| line.starts_with(&format!("{id} ")) && line.ends_with(summary));
        assert!(is_listed, "{id} is not in {}", list.stdout);
        let page = folder.run(&["explain", id]);
        assert_eq!((page.code, page.stderr.as_str()), (Some(0), ""), "{id}");
        assert!(page.stdout.contains(id) && page.stdout.lines().count() > 10, "{id}: {}", page.stdout);
        assert!(!page.stdout.contains('\x1b'), "{id}: {}", page.stdout);
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let run = Folder::new(&[]).run(&["--version"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(run.stdout, format!("probelint {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_help_shows_examples_that_work() {
    let folder = Folder::new(&[]);
    for arguments in [["--help"].as_slice(), &["-h"], &["check", "--help"]] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(run.stdout.contains("Examples:\n  probelint "), "{arguments:?}: {}", run.stdout);
        assert!(run.stdout.contains("Exit codes:\n  0  "), "{arguments:?}: {}", run.stdout);
    }
    let help = folder.run(&["--help"]).stdout;
    let examples = help.lines().skip_while(|line| *line != "Examples:").take_while(|line| !line.is_empty());
    let mut worked = 0;
    for example in examples.filter(|line| line.contains("probelint ")) {
        let command = example.split("probelint ").nth(1).unwrap();
        // Behind two blanks, or at a word that is no part of the command, stands what the example does.
        let words: Vec<&str> = command.split("  ").next().unwrap().split(' ').filter(|word| !word.is_empty()).collect();
        let words: Vec<&str> = words.into_iter().take_while(|word| *word != "print").collect();
        let folder =
            Folder::new(&[("deploy/a.yaml", CLEAN), ("deploy.yaml", CLEAN), ("tye.yaml", "name: x\nservices: []\n")]);
        let run = folder.run(&words);
        assert_eq!(run.code, Some(0), "{words:?}: {run:?}");
        worked += 1;
    }
    assert!(worked >= 4, "{help}");
}
