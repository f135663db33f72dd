//! No input may end the program: mutants of all fixtures go through reading, rules, fixes and every report.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::path::Path;
use std::sync::Mutex;

use probelint::fix::edit;
use probelint::lint::{self, Profile, Settings};
use probelint::report::{self, Format, Options};
use probelint::source::{Request, Source, read_all};

/// A small generator with a fixed seed, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let texts = Mutex::new(Vec::new());
    let request = Request { paths: vec![folder], ..Request::default() };
    read_all(&request, &mut std::io::empty(), |source| texts.lock().unwrap().push((source.path, source.text)));
    let mut texts = texts.into_inner().unwrap();
    texts.sort();
    texts
}

/// Characters and words that change the structure of YAML, of probes and of shell scripts.
const BITS: [&str; 34] = [
    "\n",
    "\r\n",
    "\t",
    "  ",
    ":",
    ": ",
    "- ",
    "---\n",
    "...\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "<<: ",
    "|\n",
    ">-\n",
    "'",
    "\"",
    "#",
    "!!str ",
    "~",
    "\u{feff}",
    "é🙂",
    "\u{85}",
    "0x",
    "-1",
    "99999999999999999999",
    "${X}",
    "{{ x }}",
    "$(",
    "`",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(4) {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match random.below(3) {
            0 => text.insert_str(at, BITS[random.below(BITS.len())]),
            1 => {
                let mut end = (at + random.below(12)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                text.replace_range(at..end, "");
            }
            _ => {
                let mut end = (at + random.below(200)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                let piece = text[at..end].to_owned();
                text.insert_str(at, &piece);
            }
        }
    }
    text
}

#[test]
fn no_mutant_of_a_fixture_ends_the_program() {
    let texts = texts();
    let settings = Settings { profile: Profile::Strict, ..Settings::default() };
    let options = Options::default();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..2_000 {
        let (path, text) = &texts[random.below(texts.len())];
        let mutant = mutate(text, &mut random);
        let read = lint::read(Source::new(path.clone(), mutant.clone()), true);
        let outcome = lint::lint(read.into_iter().collect(), 0, &settings);
        for finding in &outcome.findings {
            let span = finding.span;
            assert!(mutant.get(span.start as usize..span.end as usize).is_some(), "{round} {}: {span:?}", finding.rule);
            if let Some(fix) = &finding.fix {
                let _ = edit::apply(&mutant, &fix.edits);
            }
        }
        let format = Format::ALL[round % Format::ALL.len()];
        report::write(format, &outcome, &options, &mut Vec::new()).unwrap();
    }
}
