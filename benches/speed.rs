//! How long probelint takes, next to what it cannot avoid. Makes manifests (a Deployment and a Service each), then in
//! every round reads them, parses them, checks them in this process and checks them with the program, so that whatever
//! else the machine does falls on all of them alike. Compare ratios of one run, not milliseconds of two.
//!
//! `cargo bench` takes about a minute. `cargo bench -- 100 5000` takes other numbers of files.

#![allow(clippy::print_stdout, reason = "the table is the result")]
#![allow(clippy::unwrap_used, reason = "a benchmark may stop at what is not there")]

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use probelint::lint::{self, Outcome, Settings};
use probelint::model;
use probelint::source::{Request, read_all};
use probelint::yaml;

/// Makes this program end at once: what starting any program costs.
const NOTHING: &str = "--nothing";

const FILES_IN_FOLDER: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == NOTHING) {
        return;
    }
    let mut counts: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if counts.is_empty() {
        // Without the word that cargo adds this is a test, which only asks whether it runs.
        let is_bench = arguments.iter().any(|argument| argument == "--bench");
        counts = if is_bench { vec![1, 1_000, 10_000] } else { vec![3] };
    }
    for count in counts {
        run(count);
    }
}

fn run(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let paths = generate(folder.path(), count);
    let read = |path: &PathBuf| (path.to_string_lossy().into_owned(), fs::read_to_string(path).unwrap());
    let texts: Vec<(String, String)> = paths.iter().map(read).collect();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let lines: usize = texts.iter().map(|(_, text)| text.lines().count()).sum();
    let rounds = (20_000 / count.max(1)).clamp(5, 101);

    let mut measures = [
        Measure::new("read all files, one thread"),
        Measure::new("parse their YAML, one thread"),
        Measure::new("parse and model, one thread"),
        Measure::new("read and check, library"),
        Measure::new("start an empty program"),
        Measure::new("read and check, program"),
    ];
    let nothing = std::env::current_exe().unwrap();
    let mut checked = None;
    for _ in 0..rounds {
        measures[0].take(|| {
            for path in &paths {
                black_box(fs::read(path).unwrap());
            }
        });
        measures[1].take(|| {
            for (_, text) in &texts {
                black_box(yaml::parse(text));
            }
        });
        measures[2].take(|| {
            for (path, text) in &texts {
                black_box(model::read(path, &yaml::parse(text)));
            }
        });
        checked = Some(measures[3].take(|| check(folder.path())));
        measures[4].take(|| start(&nothing, &[NOTHING.as_ref()]));
        measures[5].take(|| start(program(), &["--quiet".as_ref(), folder.path()]));
    }

    let outcome = checked.unwrap();
    let summary = &outcome.summary;
    assert_eq!((summary.files as usize, summary.workloads as usize), (count, count));
    println!(
        "\n{count} files, {lines} lines, {:.1} MB; {} probes, {} findings; {rounds} rounds, {} processors",
        bytes as f64 / 1e6,
        summary.probes,
        outcome.findings.len(),
        std::thread::available_parallelism().map_or(1, usize::from),
    );
    print_table(&measures);
    if let Some(memory) = peak_memory(folder.path()) {
        println!("peak memory of the program: {memory:.1} MB");
    }
}

/// The whole pipeline, as the program calls it.
fn check(folder: &Path) -> Outcome {
    let request = Request { paths: vec![folder.to_owned()], ..Request::default() };
    let files = Mutex::new(Vec::new());
    read_all(&request, &mut std::io::empty(), |source| {
        if let Some(file) = lint::read(source, false) {
            files.lock().unwrap().push(file);
        }
    });
    lint::lint(files.into_inner().unwrap(), 0, &Settings::default())
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_probelint"))
}

fn start(program: &Path, arguments: &[&Path]) {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().code().is_some_and(|code| code < 2), "{command:?}");
}

/// Megabytes that the program holds at most, where GNU time can tell.
fn peak_memory(folder: &Path) -> Option<f64> {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M"]).arg(program()).arg("--quiet").arg(folder).stdin(Stdio::null());
    let told = String::from_utf8(command.output().ok()?.stderr).ok()?;
    Some(told.lines().last()?.parse::<f64>().ok()? / 1e3)
}

/// Times of one thing over all rounds.
struct Measure {
    name: &'static str,
    walls: Vec<Duration>,
    cpu: Option<Duration>,
}

impl Measure {
    fn new(name: &'static str) -> Self {
        Self { name, walls: Vec::new(), cpu: Some(Duration::ZERO) }
    }

    fn take<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (cpu, started) = (cpu_time(), Instant::now());
        let result = work();
        self.walls.push(started.elapsed());
        let used = cpu_time().zip(cpu).map(|(after, before)| after.saturating_sub(before));
        self.cpu = self.cpu.zip(used).map(|(sum, used)| sum + used);
        result
    }

    fn wall(&self) -> Duration {
        let mut walls = self.walls.clone();
        walls.sort_unstable();
        walls[walls.len() / 2]
    }

    /// The mean over the rounds; a single round may be shorter than the clock can tell.
    fn cpu(&self) -> Option<Duration> {
        let enough = Duration::from_millis(200);
        self.cpu.filter(|cpu| *cpu >= enough).map(|cpu| cpu / self.walls.len() as u32)
    }
}

fn print_table(measures: &[Measure]) {
    let floor = &measures[0];
    println!("{:30}  {:>10}  {:>7}  {:>10}  {:>7}", "", "wall ms", "ratio", "CPU ms", "ratio");
    for measure in measures {
        let wall = measure.wall();
        let wall_ratio = wall.as_secs_f64() / floor.wall().as_secs_f64();
        let cpu = measure.cpu().map_or("-".to_owned(), |cpu| format!("{:.2}", cpu.as_secs_f64() * 1e3));
        let cpu_ratio = measure
            .cpu()
            .zip(floor.cpu())
            .map_or("-".to_owned(), |(cpu, floor)| format!("{:.2}", cpu.as_secs_f64() / floor.as_secs_f64()));
        println!(
            "{:30}  {:>10.3}  {wall_ratio:>7.2}  {cpu:>10}  {cpu_ratio:>7}",
            measure.name,
            wall.as_secs_f64() * 1e3
        );
    }
}

/// Processor time of this process and of the children it waited for, where the system tells it in hundredths of a
/// second.
fn cpu_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in brackets, which may hold blanks, the times are fields 12 to 15.
    let fields = stat.rsplit_once(')')?.1.split_whitespace();
    let ticks = fields.skip(11).take(4).map(str::parse::<u64>).sum::<Result<u64, _>>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn choose<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

fn generate(folder: &Path, count: usize) -> Vec<PathBuf> {
    let mut random = Random(1);
    let mut paths = Vec::with_capacity(count);
    for index in 0..count {
        let team = folder.join(format!("team-{:03}", index / FILES_IN_FOLDER));
        fs::create_dir_all(&team).unwrap();
        let path = team.join(format!("app-{index:05}.yaml"));
        fs::write(&path, manifest(index, &mut random)).unwrap();
        paths.push(path);
    }
    paths
}

/// About seventy lines of what people deploy.
fn manifest(index: usize, random: &mut Random) -> String {
    let (name, team) = (format!("app-{index:05}"), format!("team-{:03}", index / FILES_IN_FOLDER));
    let image = random.choose(&["shop", "billing", "openjdk", "node", "postgres", "worker"]);
    let (minor, replicas) = (random.below(40), 1 + random.below(5));
    let mut text = format!(
        "# {name}, owned by {team}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: {team}
  labels:
    app.kubernetes.io/name: {name}
    app.kubernetes.io/part-of: {team}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app.kubernetes.io/name: {name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {name}
        app.kubernetes.io/part-of: {team}
      annotations:
        prometheus.io/scrape: \"true\"
        prometheus.io/port: \"9090\"
    spec:
      securityContext:
        runAsNonRoot: true
      containers:
        - name: app
          image: registry.example.org/{team}/{image}:1.{minor}.0
          imagePullPolicy: IfNotPresent
          ports:
            - name: http
              containerPort: 8080
            - name: metrics
              containerPort: 9090
          env:
            - name: LOG_LEVEL
              value: info
            - name: DATABASE_URL
              valueFrom:
                secretKeyRef:
                  name: {name}-database
                  key: url
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 512Mi
"
    );
    write_probe(&mut text, "livenessProbe", "/healthz", random);
    write_probe(&mut text, "readinessProbe", "/ready", random);
    if random.below(3) == 0 {
        write_probe(&mut text, "startupProbe", "/healthz", random);
    }
    write!(
        text,
        "      terminationGracePeriodSeconds: 30
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
  namespace: {team}
spec:
  selector:
    app.kubernetes.io/name: {name}
  ports:
    - name: http
      port: 80
      targetPort: http
"
    )
    .unwrap();
    text
}

/// One probe in one of the ways people write them; one in six is missing.
fn write_probe(text: &mut String, field: &str, path: &str, random: &mut Random) {
    let handler = match random.below(6) {
        0 => return,
        1 => "            tcpSocket:\n              port: http\n".to_owned(),
        2 => "            exec:\n              command: [\"/bin/sh\", \"-c\", \"test -f /tmp/healthy\"]\n".to_owned(),
        _ => format!("            httpGet:\n              path: {path}\n              port: http\n"),
    };
    let (delay, period, timeout) = (5 * random.below(7), 5 + 5 * random.below(4), 1 + random.below(5));
    write!(
        text,
        "          {field}:\n{handler}            initialDelaySeconds: {delay}\n            periodSeconds: {period}\n            \
         timeoutSeconds: {timeout}\n            failureThreshold: 3\n"
    )
    .unwrap();
}
