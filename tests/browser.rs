//! The HTML report in a real browser. Without Chromium nothing can be tested; `PROBELINT_BROWSER=required` makes that a
//! failure.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may stop at what is not there, and say so")]

use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFESTS: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: app
          image: example.org/web:1
          livenessProbe:
            httpGet: {path: /livez, port: 8080}
            timeoutSeconds: 30
            periodSeconds: 10
            successThreshold: 2
";
const OTHER: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: other}
spec:
  containers:
    - name: side
      image: example.org/side:1
      readinessProbe:
        httpGet: {path: /readyz, port: 8080, scheme: http}
        timeoutSeconds: 2
";

/// Works the filters as a person would, and writes what can be seen after each step into the page.
const STEPS: &str = include_str!("browser.js");

fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// What the browser makes of the page, in a window of the given width.
fn log(browser: &Path, folder: &Path, width: u32) -> String {
    let program = env!("CARGO_BIN_EXE_probelint");
    let report = Command::new(program).args(["check", "-q", "-f", "html", "."]).current_dir(folder).output().unwrap();
    let html = String::from_utf8(report.stdout).unwrap();
    assert!(!html.contains("://") && !html.contains(" src="), "the page asks for something else: {html}");
    let page = folder.join("report.html");
    std::fs::write(&page, html.replace("</body>", &format!("<script>{STEPS}</script>\n</body>"))).unwrap();
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    std::fs::remove_file(page).unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, log) = dom.rsplit_once("<pre id=\"log\">").unwrap_or_else(|| panic!("no log in {dom}"));
    log.split_once("</pre>").unwrap().0.to_owned()
}

#[test]
fn filters_leave_what_fits_them() {
    let Some(browser) = chromium() else {
        assert!(std::env::var_os("PROBELINT_BROWSER").is_none(), "no Chromium was found");
        eprintln!("skipped: no Chromium was found");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), MANIFESTS).unwrap();
    std::fs::write(folder.path().join("b.yaml"), OTHER).unwrap();
    let expected = "\
at first: 3 findings, 2 files, 2 entries, 0 hints, 3 of 3 findings shown
without warnings: 2 findings, 2 files, 2 entries, 0 hints, 2 of 3 findings shown
one rule: 1 findings, 1 files, 1 entries, 0 hints, 1 of 3 findings shown
focus: text
two words: 1 findings, 1 files, 1 entries, 0 hints, 1 of 3 findings shown
no match: 0 findings, 0 files, 0 entries, 1 hints, 0 of 3 findings shown
reset: 3 findings, 2 files, 2 entries, 0 hints, 3 of 3 findings shown
pictures: 2
wider than the window: false";
    for width in [1280, 500] {
        assert_eq!(log(&browser, folder.path(), width), expected, "in a window {width} wide");
    }
}
