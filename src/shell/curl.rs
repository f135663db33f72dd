//! What curl makes of an HTTP error. By itself it exits with 0 whatever the server answers, so a probe made of it sees
//! nothing but whether somebody listens.

use super::Exec;
use super::client::Given;
use super::place::Place;
use super::run::{Decides, Output, Run};
use super::script::RunId;

/// An answer that may be out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Certainly.
    Yes,
    /// Certainly not.
    No,
    /// A config file or a variable may say so.
    Unknown,
}

/// What a curl call does about the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpClient {
    /// Whether it fails on a status of 400 and more: `-f`, `--fail`, `--fail-with-body`.
    pub fails_on_http_error: Answer,
    /// Whether it prints the status: `-w` with `http_code` or `response_code`, `-i`, `-I`.
    pub prints_status: bool,
    /// Whether every URL is HTTP; a URL without a scheme is.
    pub speaks_http: Answer,
    /// Whether another command reads what it prints.
    pub output_is_read: bool,
    /// Whether its exit status decides the outcome.
    pub decides: Decides,
    /// Where `-f` can be added, with a blank before it.
    pub insert_at: Place,
}

impl HttpClient {
    /// Whether the probe passes while the server answers with an error: the exit status decides, curl does not fail
    /// on errors, and nobody looks at what it prints.
    pub fn misses_http_errors(&self) -> bool {
        self.decides == Decides::Yes
            && self.fails_on_http_error == Answer::No
            && self.speaks_http == Answer::Yes
            && !self.output_is_read
    }
}

pub(super) fn read(exec: &Exec, id: RunId, run: &Run, given: &Given<'_>) -> Option<HttpClient> {
    if run.program()? != "curl" {
        return None;
    }
    let insert_at = run.after_program()?;
    let says_fail = ["-f", "--fail", "--fail-with-body"].iter().any(|name| given.has(name));
    let may_say_more = given.unsure || given.has("-K") || given.has("--config");
    let fails_on_http_error = match (says_fail && !given.has("--no-fail"), may_say_more) {
        (true, _) => Answer::Yes,
        (false, true) => Answer::Unknown,
        (false, false) => Answer::No,
    };
    let prints_status = ["-i", "--include", "-I", "--head", "--show-headers"].iter().any(|name| given.has(name))
        || given
            .options
            .iter()
            .filter(|option| option.name == "-w" || option.name == "--write-out")
            .filter_map(|option| option.value.as_ref())
            .any(|value| value.text().contains("http_code") || value.text().contains("response_code"));
    let urls = given.options.iter().filter(|option| option.name == "--url").filter_map(|option| option.value.as_ref());
    let urls: Vec<_> = given.positionals.iter().chain(urls).collect();
    let scheme = |text: &str| text.find("://").map(|at| text[..at].to_ascii_lowercase());
    let speaks_http =
        if urls.iter().any(|url| scheme(url.text()).is_some_and(|scheme| scheme != "http" && scheme != "https")) {
            Answer::No
        } else if urls.is_empty()
            || urls.iter().any(|url| url.text().starts_with(super::word::HOLE) && scheme(url.text()).is_none())
        {
            // `$URL` may be anything; `$HOST:80/path` is HTTP.
            if urls.iter().all(|url| url.text().contains('/') || url.text().contains(':')) && !urls.is_empty() {
                Answer::Yes
            } else {
                Answer::Unknown
            }
        } else {
            Answer::Yes
        };
    let output_is_read = matches!(run.output, Output::Pipe(_) | Output::Word(_)) && !exec.readers(id).is_empty();
    Some(HttpClient {
        fails_on_http_error,
        prints_status,
        speaks_http,
        output_is_read,
        decides: run.decides,
        insert_at,
    })
}
