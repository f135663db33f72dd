//! Reads the text of a shell script into a tree: the grammar of POSIX `sh` and the parts of bash that probes use.
//!
//! One pass, no backtracking, limited depth. What it does not understand makes it give up on the rest of the text and
//! say so; it never fails and never guesses.

use super::place::{Place, Text};
use super::run::Run;
use super::script::{Item, Joint, Node, Pipeline, Redirect, RedirectKind, RunId, Script, Stage};
use super::word::{Expander, Part, Variable, Word};
use super::wrapper;

/// How deep compound commands, substitutions and scripts in scripts may nest. Real probes reach five.
const MAX_DEPTH: u32 = 40;

/// What all readers of one `exec.command` share.
#[derive(Default)]
pub(super) struct Reading {
    /// Every command found so far.
    pub(super) runs: Vec<Run>,
    /// Whether something was not understood.
    pub(super) gave_up: bool,
    /// Current nesting.
    depth: u32,
}

impl Reading {
    /// Reads a whole script.
    pub(super) fn script(&mut self, text: &Text<'_>) -> Script {
        if self.depth >= MAX_DEPTH {
            self.gave_up = true;
            return Script::default();
        }
        self.depth += 1;
        let mut reader = Reader { reading: self, bytes: text.text.as_bytes(), text, at: 0, waiting: Vec::new() };
        let script = reader.script();
        if reader.at < reader.bytes.len() {
            reader.give_up();
        }
        self.depth -= 1;
        script
    }
}

struct Reader<'r, 't> {
    reading: &'r mut Reading,
    text: &'t Text<'t>,
    bytes: &'t [u8],
    at: usize,
    /// Here-documents whose bodies begin on the next line: delimiter, and whether tabs before it are skipped.
    waiting: Vec<(String, bool)>,
}

/// Words that end a list of commands when they stand where a command would.
const CLOSERS: [&str; 8] = ["then", "do", "done", "fi", "elif", "else", "esac", "}"];

impl<'t> Reader<'_, 't> {
    /// Commands up to the end of the text or to something that closes the construct around them.
    fn script(&mut self) -> Script {
        let mut items = Vec::new();
        loop {
            self.skip_blank_lines();
            if self.at_closer() {
                return Script { items };
            }
            let before = self.at;
            let mut item = self.item();
            self.skip_blanks();
            match self.peek() {
                Some(b';') if self.peek_at(1) != Some(b';') && self.peek_at(1) != Some(b'&') => self.at += 1,
                Some(b'&') => {
                    item.background = true;
                    self.at += 1;
                }
                _ => {}
            }
            items.push(item);
            if self.at == before {
                self.give_up();
            }
        }
    }

    fn at_closer(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => true,
            _ => self.bare_word().is_some_and(|word| CLOSERS.contains(&word)),
        }
    }

    fn item(&mut self) -> Item {
        let mut pipelines = vec![(Joint::First, self.pipeline())];
        loop {
            self.skip_blanks();
            let joint = match (self.peek(), self.peek_at(1)) {
                (Some(b'&'), Some(b'&')) => Joint::And,
                (Some(b'|'), Some(b'|')) => Joint::Or,
                _ => return Item { pipelines, background: false },
            };
            self.at += 2;
            self.skip_blank_lines();
            pipelines.push((joint, self.pipeline()));
        }
    }

    fn pipeline(&mut self) -> Pipeline {
        let mut negated = false;
        self.skip_blanks();
        while self.bare_word() == Some("!") {
            negated = !negated;
            self.at += 1;
            self.skip_blanks();
        }
        let mut stages = vec![self.stage()];
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                return Pipeline { negated, stages };
            }
            self.at += if self.peek_at(1) == Some(b'&') { 2 } else { 1 };
            self.skip_blank_lines();
            stages.push(self.stage());
        }
    }

    /// A command with its redirections.
    fn stage(&mut self) -> Stage {
        if !self.enter() {
            let run = self.reserve();
            return Stage { node: Node::Run(run), redirects: Vec::new() };
        }
        let node = self.node();
        let mut redirects = Vec::new();
        if !matches!(node, Node::Run(_)) {
            self.skip_blanks();
            while let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                self.skip_blanks();
            }
        }
        self.reading.depth -= 1;
        Stage { node, redirects }
    }

    fn node(&mut self) -> Node {
        match self.peek() {
            Some(b'(') if self.peek_at(1) == Some(b'(') && self.arithmetic_end(self.at + 2).is_some() => {
                return self.arithmetic_command();
            }
            Some(b'(') => {
                self.at += 1;
                let script = self.script();
                self.expect_byte(b')');
                return Node::Subshell(script);
            }
            _ => {}
        }
        match self.bare_word() {
            Some("{") => {
                self.at += 1;
                let script = self.script();
                self.expect_word("}");
                Node::Group(script)
            }
            Some("if") => {
                self.at += 2;
                self.conditional()
            }
            Some(word @ ("while" | "until")) => {
                self.at += 5;
                let until = word == "until";
                let condition = self.script();
                let body = self.do_group();
                Node::Loop { condition, body, until }
            }
            Some(word @ ("for" | "select")) => {
                let length = word.len();
                self.for_loop(length)
            }
            Some("case") => self.case(),
            Some("[[") => self.double_bracket(),
            Some("function") => {
                self.at += "function".len();
                self.skip_blanks();
                let name = self.word().and_then(|word| word.text().map(String::from)).unwrap_or_default();
                self.skip_blanks();
                if self.peek() == Some(b'(') {
                    self.at += 1;
                    self.skip_blanks();
                    self.expect_byte(b')');
                }
                self.function(name)
            }
            _ => self.simple(),
        }
    }

    /// What follows `if`.
    fn conditional(&mut self) -> Node {
        let mut branches = Vec::new();
        loop {
            let condition = self.script();
            self.expect_word("then");
            let body = self.script();
            branches.push((condition, body));
            match self.bare_word() {
                Some("elif") => self.at += 4,
                Some("else") => {
                    self.at += 4;
                    let otherwise = Some(self.script());
                    self.expect_word("fi");
                    return Node::If { branches, otherwise };
                }
                _ => {
                    self.expect_word("fi");
                    return Node::If { branches, otherwise: None };
                }
            }
        }
    }

    /// `do ... done`, or the braces that bash also takes after `for`.
    fn do_group(&mut self) -> Script {
        self.skip_blank_lines();
        if self.peek() == Some(b';') {
            self.at += 1;
            self.skip_blank_lines();
        }
        let (open, close) = if self.bare_word() == Some("{") { ("{", "}") } else { ("do", "done") };
        self.expect_word(open);
        let body = self.script();
        self.expect_word(close);
        body
    }

    fn for_loop(&mut self, keyword: usize) -> Node {
        let head = self.reserve();
        let mut words = vec![self.keyword(keyword)];
        self.skip_blanks();
        if self.peek() == Some(b'(') && self.peek_at(1) == Some(b'(') {
            words.extend(self.arithmetic_word());
        } else {
            loop {
                self.skip_blanks();
                match self.word() {
                    Some(word) => words.push(word),
                    None => break,
                }
                // `for NAME` may be followed by a line end before `in`.
                if words.len() == 2 {
                    self.skip_blank_lines();
                    if self.bare_word() == Some("do") {
                        break;
                    }
                }
            }
        }
        self.fill(head, words, true);
        let body = self.do_group();
        Node::For { head, body }
    }

    fn case(&mut self) -> Node {
        let head = self.reserve();
        let mut words = vec![self.keyword(4)];
        self.skip_blanks();
        words.extend(self.word());
        self.skip_blank_lines();
        self.expect_word("in");
        let mut arms = Vec::new();
        loop {
            self.skip_blank_lines();
            match self.peek() {
                None => {
                    self.give_up();
                    break;
                }
                Some(b'(') => {
                    self.at += 1;
                    self.skip_blanks();
                }
                _ if self.bare_word() == Some("esac") => {
                    self.at += 4;
                    break;
                }
                _ => {}
            }
            let before = self.at;
            words.extend(self.word());
            self.skip_blanks();
            match self.peek() {
                Some(b'|') => {
                    self.at += 1;
                    continue;
                }
                _ => self.expect_byte(b')'),
            }
            arms.push(self.script());
            if self.peek() == Some(b';') {
                while matches!(self.peek(), Some(b';' | b'&')) {
                    self.at += 1;
                }
            }
            if self.at == before {
                self.give_up();
                break;
            }
        }
        self.fill(head, words, true);
        Node::Case { head, arms }
    }

    /// `[[ ... ]]`, in which `&&`, `||`, `<`, `(` are words of their own kind.
    fn double_bracket(&mut self) -> Node {
        let run = self.reserve();
        let mut words = vec![self.keyword(2)];
        loop {
            self.skip_blank_lines();
            let before = self.at;
            match self.word_with(true) {
                Some(word) => {
                    let closes = !word.quoted && word.is("]]");
                    words.push(word);
                    if closes {
                        break;
                    }
                }
                None => {
                    self.give_up();
                    break;
                }
            }
            if self.at == before {
                self.give_up();
                break;
            }
        }
        self.fill(run, words, true);
        self.trailing_redirects(run);
        Node::Run(run)
    }

    fn arithmetic_command(&mut self) -> Node {
        let run = self.reserve();
        let words = self.arithmetic_word().into_iter().collect();
        self.fill(run, words, true);
        self.trailing_redirects(run);
        Node::Run(run)
    }

    /// `((...))` as one word.
    fn arithmetic_word(&mut self) -> Option<Word> {
        let start = self.at;
        let Some(end) = self.arithmetic_end(start + 2) else {
            self.give_up();
            return None;
        };
        self.at += 2;
        let parts = self.arithmetic_parts(end - 2);
        self.at = self.at.max(end);
        let place = self.text.place(start, end);
        Some(Word { parts: vec![Part::Arithmetic { parts, place }], place, quoted: true })
    }

    fn trailing_redirects(&mut self, run: RunId) {
        self.skip_blanks();
        while let Some(redirect) = self.redirect() {
            self.reading.runs[run].redirects.push(redirect);
            self.skip_blanks();
        }
    }

    fn function(&mut self, name: String) -> Node {
        self.skip_blank_lines();
        let first = self.reading.runs.len();
        let body = Box::new(self.stage());
        Node::Function { name, body, runs: (first, self.reading.runs.len()) }
    }

    fn simple(&mut self) -> Node {
        let run = self.reserve();
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                self.reading.runs[run].redirects.push(redirect);
                continue;
            }
            let start = self.at;
            let Some(word) = self.word() else {
                break;
            };
            let opens_list = self.peek() == Some(b'(') && self.bytes.get(self.at.wrapping_sub(1)) == Some(&b'=');
            if opens_list {
                // `name=(a b)`: what an array holds matters to no rule, what runs inside does.
                self.at += 1;
                let mut parts = word.parts;
                loop {
                    self.skip_blank_lines();
                    match self.word() {
                        Some(element) => parts.extend(element.parts),
                        None => break,
                    }
                }
                self.expect_byte(b')');
                let place = self.text.place(start, self.at);
                let word = Word { parts, place, quoted: true };
                match (words.is_empty()).then(|| Assignment::cut(&word)).flatten() {
                    Some(assignment) => self.reading.runs[run].assignments.push(assignment),
                    None => words.push(word),
                }
                continue;
            }
            if words.is_empty() && !self.reading.runs[run].has_prefix() && self.at_parentheses(&word) {
                let name = word.text().map(String::from).unwrap_or_default();
                if self.reading.runs.len() == run + 1 {
                    self.reading.runs.pop();
                }
                return self.function(name);
            }
            match (words.is_empty()).then(|| Assignment::cut(&word)).flatten() {
                Some(assignment) => self.reading.runs[run].assignments.push(assignment),
                None => words.push(word),
            }
        }
        if words.is_empty() && !self.reading.runs[run].has_prefix() {
            self.give_up();
        }
        self.fill(run, words, false);
        Node::Run(run)
    }

    /// Whether `()` follows a name, which makes it a function definition; then steps over it.
    fn at_parentheses(&mut self, word: &Word) -> bool {
        if word.quoted || word.text().is_none() {
            return false;
        }
        let mut at = self.at;
        let skip = |mut at: usize| {
            while matches!(self.bytes.get(at), Some(b' ' | b'\t')) {
                at += 1;
            }
            at
        };
        at = skip(at);
        if self.bytes.get(at) != Some(&b'(') {
            return false;
        }
        at = skip(at + 1);
        if self.bytes.get(at) != Some(&b')') {
            return false;
        }
        self.at = at + 1;
        true
    }

    /// Takes a number for a command that begins here, so that commands are numbered in the order of the text.
    fn reserve(&mut self) -> RunId {
        let place = self.text.place(self.at, self.at);
        self.reading.runs.push(Run::begin(place));
        self.reading.runs.len() - 1
    }

    fn fill(&mut self, run: RunId, words: Vec<Word>, keyword: bool) {
        let own = &mut self.reading.runs[run];
        own.keyword = keyword;
        own.read_by_shell = true;
        if let Some(last) = words.last() {
            own.place = own.place.to(last.place);
        } else if let Some(last) = own.assignments.last() {
            own.place = own.place.to(last.value.place);
        }
        own.words = words;
        if !keyword {
            wrapper::unwrap(self.reading, run);
        }
    }

    /// The keyword of this length that stands here, as a word.
    fn keyword(&mut self, length: usize) -> Word {
        let start = self.at;
        self.at += length;
        let place = self.text.place(start, self.at);
        let text = self.text.text[start..self.at].to_owned();
        Word { parts: vec![Part::Literal { text, place }], place, quoted: false }
    }

    // Redirections

    fn redirect(&mut self) -> Option<Redirect> {
        let start = self.at;
        let mut at = start;
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        let digits = at;
        let rest = &self.bytes[at..];
        let (kind, length) = match rest {
            [b'&', b'>', b'>', ..] if at == start => (RedirectKind::WriteBoth, 3),
            [b'&', b'>', ..] if at == start => (RedirectKind::WriteBoth, 2),
            [b'<' | b'>', b'(', ..] => return None,
            [b'<', b'<', b'<', ..] => (RedirectKind::HereString, 3),
            [b'<', b'<', b'-', ..] => (RedirectKind::HereDocument, 3),
            [b'<', b'<', ..] => (RedirectKind::HereDocument, 2),
            [b'<', b'>', ..] => (RedirectKind::ReadWrite, 2),
            [b'<', b'&', ..] => (RedirectKind::Read, 2),
            [b'>', b'&', ..] => (RedirectKind::Duplicate, 2),
            [b'<', ..] => (RedirectKind::Read, 1),
            [b'>', b'>' | b'|', ..] => (RedirectKind::Write, 2),
            [b'>', ..] => (RedirectKind::Write, 1),
            _ => return None,
        };
        let skips_tabs = rest.starts_with(b"<<-");
        self.at = at + length;
        self.skip_blanks();
        let Some(target) = self.word() else {
            self.give_up();
            return None;
        };
        let mut kind = kind;
        if kind == RedirectKind::Duplicate {
            let text = target.text();
            let is_descriptor = text.is_none_or(|text| text == "-" || text.bytes().all(|b| b.is_ascii_digit()));
            if !is_descriptor {
                kind = RedirectKind::WriteBoth;
            }
        }
        if kind == RedirectKind::HereDocument {
            self.waiting.push((target.text().map(String::from).unwrap_or_default(), skips_tabs));
        }
        let descriptor = self.text.text[start..digits].parse().ok();
        let place = self.text.place(start, self.at);
        Some(Redirect { descriptor, kind, target, place })
    }

    /// Steps over the bodies of the here-documents that were announced on the line just ended.
    fn here_documents(&mut self) {
        for (delimiter, skips_tabs) in std::mem::take(&mut self.waiting) {
            loop {
                if self.at >= self.bytes.len() {
                    break;
                }
                let rest = &self.bytes[self.at..];
                let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let mut line = &self.text.text[self.at..self.at + length];
                if skips_tabs {
                    line = line.trim_start_matches('\t');
                }
                let is_end = line == delimiter;
                self.at = (self.at + length + 1).min(self.bytes.len());
                if is_end {
                    break;
                }
            }
        }
    }

    // Words

    fn word(&mut self) -> Option<Word> {
        self.word_with(false)
    }

    /// A word, or `None` where none begins. In `[[ ]]` operators count as text.
    fn word_with(&mut self, operators_are_text: bool) -> Option<Word> {
        let start = self.at;
        let mut word = Collector::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => break,
                _ if operators_are_text && &self.bytes[start..self.at] == b"]]" => break,
                b';' if operators_are_text => break,
                b'<' | b'>' if self.at == start && self.peek_at(1) == Some(b'(') && !operators_are_text => {
                    self.at += 2;
                    self.substitution(start, &mut word);
                }
                b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' if !operators_are_text => break,
                _ => self.piece(byte, &mut word, false),
            }
        }
        if self.at == start {
            return None;
        }
        let place = self.text.place(start, self.at);
        Some(Word { parts: word.parts, place, quoted: word.quoted })
    }

    /// One character or one quoted or expanded piece; always moves on.
    fn piece(&mut self, byte: u8, word: &mut Collector, quoted: bool) {
        match byte {
            b'\\' => self.escape(word, quoted),
            b'\'' if !quoted => self.single_quotes(word),
            b'"' if !quoted => self.double_quotes(word),
            b'$' => self.dollar(word, quoted),
            b'`' => self.backquotes(word),
            _ => self.plain(word),
        }
    }

    /// Text up to the next byte that could mean something.
    fn plain(&mut self, word: &mut Collector) {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            if matches!(
                byte,
                b'\\'
                    | b'\''
                    | b'"'
                    | b'$'
                    | b'`'
                    | b' '
                    | b'\t'
                    | b'\n'
                    | b'\r'
                    | b';'
                    | b'&'
                    | b'|'
                    | b'('
                    | b')'
                    | b'<'
                    | b'>'
                    | b'}'
            ) {
                break;
            }
            self.at += 1;
        }
        word.literal(&self.text.text[start..self.at], self.text.place(start, self.at));
    }

    fn escape(&mut self, word: &mut Collector, quoted: bool) {
        let next = self.peek_at(1);
        match next {
            Some(b'\n') => self.at += 2,
            None => self.plain(word),
            Some(byte) if quoted && !matches!(byte, b'$' | b'`' | b'"' | b'\\') => {
                word.literal("\\", self.text.place(self.at, self.at + 1));
                self.at += 1;
            }
            Some(_) => {
                word.quoted = true;
                self.at += 1;
                let start = self.at;
                let length = self.text.text[start..].chars().next().map_or(1, char::len_utf8);
                self.at += length;
                word.literal(&self.text.text[start..self.at], self.text.place(start, self.at));
            }
        }
    }

    fn single_quotes(&mut self, word: &mut Collector) {
        word.quoted = true;
        let start = self.at + 1;
        let Some(length) = memchr::memchr(b'\'', &self.bytes[start..]) else {
            self.give_up();
            return;
        };
        word.literal(&self.text.text[start..start + length], self.text.place(start, start + length));
        self.at = start + length + 1;
    }

    fn double_quotes(&mut self, word: &mut Collector) {
        word.quoted = true;
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    self.reading.gave_up = true;
                    return;
                }
                Some(b'"') => {
                    self.at += 1;
                    return;
                }
                Some(byte) => self.piece(byte, word, true),
            }
        }
    }

    /// `$'..'`, with the cursor on the quote.
    fn c_quotes(&mut self, start: usize, word: &mut Collector) {
        word.quoted = true;
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.text.text[self.at..].chars().next() else {
                self.reading.gave_up = true;
                return;
            };
            self.at += c.len_utf8();
            match c {
                '\'' => break,
                '\\' => {
                    let escaped = self.text.text[self.at..].chars().next().unwrap_or('\\');
                    self.at = (self.at + escaped.len_utf8()).min(self.bytes.len());
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        '\\' | '\'' | '"' | '?' => text.push(escaped),
                        _ => {
                            text.push('\\');
                            text.push(escaped);
                        }
                    }
                }
                _ => text.push(c),
            }
        }
        word.literal(&text, self.text.place(start, self.at));
    }

    fn dollar(&mut self, word: &mut Collector, quoted: bool) {
        let start = self.at;
        match self.peek_at(1) {
            Some(b'\'') if !quoted => {
                self.at += 1;
                self.c_quotes(start, word);
            }
            Some(b'"') if !quoted => {
                self.at += 1;
                self.double_quotes(word);
            }
            Some(b'(') => {
                if self.peek_at(2) == Some(b'(')
                    && let Some(end) = self.arithmetic_end(start + 3)
                {
                    self.at = start + 3;
                    let parts = self.arithmetic_parts(end - 2);
                    self.at = self.at.max(end);
                    word.parts.push(Part::Arithmetic { parts, place: self.text.place(start, end) });
                    return;
                }
                self.at += 2;
                self.substitution(start, word);
            }
            Some(b'{') => {
                self.at += 2;
                self.braced_variable(start, word, quoted);
            }
            Some(byte) if is_name_start(byte) => {
                self.at += 2;
                while self.peek().is_some_and(is_name) {
                    self.at += 1;
                }
                self.variable(start, start + 1, self.at, word, quoted);
            }
            Some(b'0'..=b'9' | b'?' | b'$' | b'#' | b'@' | b'*' | b'!' | b'-') => {
                self.at += 2;
                self.variable(start, start + 1, self.at, word, quoted);
            }
            _ => self.plain(word),
        }
    }

    fn variable(&self, start: usize, from: usize, to: usize, word: &mut Collector, quoted: bool) {
        let name = self.text.text.get(from..to).unwrap_or_default().to_owned();
        let place = self.text.place(start, self.at);
        let by = Expander::Shell;
        word.parts.push(Part::Variable(Variable { name, default: None, altered: false, quoted, by, place }));
    }

    /// `${...}`, with the cursor behind the brace.
    fn braced_variable(&mut self, start: usize, word: &mut Collector, quoted: bool) {
        let mut altered = false;
        if matches!(self.peek(), Some(b'#' | b'!')) && self.peek_at(1).is_some_and(|b| is_name(b) || b == b'@') {
            altered = true;
            self.at += 1;
        }
        let from = self.at;
        if self.peek().is_some_and(is_name_start) {
            while self.peek().is_some_and(is_name) {
                self.at += 1;
            }
        } else if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.at += 1;
            }
        } else if matches!(self.peek(), Some(b'?' | b'$' | b'#' | b'@' | b'*' | b'!' | b'-')) {
            self.at += 1;
        }
        let name = self.text.text.get(from..self.at).unwrap_or_default().to_owned();
        let operator = match (self.peek(), self.peek_at(1)) {
            (Some(b':'), Some(b'-' | b'=')) => 2,
            (Some(b'-' | b'='), _) => 1,
            _ => 0,
        };
        self.at += operator;
        let default_start = self.at;
        let first_part = self.peek();
        let rest = self.until_brace(quoted);
        let mut default = None;
        if operator > 0 {
            let place = self.text.place(default_start, self.at.saturating_sub(1).max(default_start));
            default = Some(Box::new(Word { parts: rest.parts, place, quoted: rest.quoted }));
        } else if first_part != Some(b'}') {
            // `${X:?message}` is the value of X or the end; every other operator changes it.
            altered = !matches!(first_part, Some(b'?')) && !self.text.text[default_start..].starts_with(":?");
        }
        let place = self.text.place(start, self.at);
        let by = Expander::Shell;
        word.parts.push(Part::Variable(Variable { name, default, altered, quoted, by, place }));
    }

    /// Everything up to the `}` that closes `${`, and that brace.
    fn until_brace(&mut self, quoted: bool) -> Collector {
        let mut word = Collector::default();
        if !self.enter() {
            return word;
        }
        loop {
            match self.peek() {
                None => {
                    self.reading.gave_up = true;
                    break;
                }
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                // Inside quotes a quote may still begin a quoted piece: `"${X:-"a b"}"`.
                Some(b'"') if quoted => self.double_quotes(&mut word),
                Some(byte) => self.piece(byte, &mut word, quoted),
            }
        }
        self.reading.depth -= 1;
        word
    }

    /// The script of `$(`, with the cursor behind the parenthesis.
    fn substitution(&mut self, start: usize, word: &mut Collector) {
        if !self.enter() {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let script = self.script();
        self.waiting = waiting;
        self.expect_byte(b')');
        self.reading.depth -= 1;
        word.parts.push(Part::Substitution { script, place: self.text.place(start, self.at) });
    }

    fn backquotes(&mut self, word: &mut Collector) {
        let start = self.at;
        let mut inner = Text::builder(self.text.arg());
        let mut at = start + 1;
        let mut copied = at;
        loop {
            match self.bytes.get(at) {
                None => {
                    self.give_up();
                    return;
                }
                Some(b'`') => break,
                Some(b'\\') if matches!(self.bytes.get(at + 1), Some(b'`' | b'\\' | b'$')) => {
                    self.push_to(&mut inner, copied, at);
                    copied = at + 1;
                    at += 2;
                }
                Some(_) => at += 1,
            }
        }
        self.push_to(&mut inner, copied, at);
        self.at = at + 1;
        let script = self.reading.script(&inner);
        word.parts.push(Part::Substitution { script, place: self.text.place(start, self.at) });
    }

    fn push_to(&self, inner: &mut Text<'static>, start: usize, end: usize) {
        if start < end {
            inner.push(&self.text.text[start..end], self.text.offset(start));
        }
    }

    /// The end of an arithmetic expression that begins at `from`, behind `((`; `None` when it is something else.
    fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let mut open = 2_u32;
        for (index, byte) in self.bytes.get(from..)?.iter().enumerate() {
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 1 && self.bytes.get(from + index + 1) == Some(&b')') {
                        return Some(from + index + 2);
                    }
                    if open == 0 {
                        return None;
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The variables and substitutions up to `end`.
    fn arithmetic_parts(&mut self, end: usize) -> Vec<Part> {
        let mut word = Collector::default();
        if !self.enter() {
            return word.parts;
        }
        while self.at < end {
            match self.peek() {
                Some(b'$') => self.dollar(&mut word, true),
                Some(b'`') => self.backquotes(&mut word),
                _ => self.at += 1,
            }
        }
        self.reading.depth -= 1;
        word.parts.retain(|part| !matches!(part, Part::Literal { .. }));
        word.parts
    }

    // The cursor

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// Blanks, escaped line ends, and a comment.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'#') if self.starts_word() => {
                    let rest = &self.bytes[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn skip_blank_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.at += 1;
            self.here_documents();
        }
    }

    /// Whether the byte before the cursor ends a word, so that a `#` here begins a comment.
    fn starts_word(&self) -> bool {
        self.at == 0
            || matches!(self.bytes[self.at - 1], b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'`')
    }

    /// The unquoted text here up to a blank or an operator: a keyword, if it is one. Looks at most ten bytes ahead.
    fn bare_word(&self) -> Option<&'t str> {
        const LONGEST: usize = "function".len();
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let ends =
            |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>');
        let window = &rest[..rest.len().min(LONGEST + 1)];
        let length = match window.iter().position(ends) {
            Some(length) => length,
            None if rest.len() <= LONGEST => rest.len(),
            None => return None,
        };
        self.text.text.get(self.at..self.at + length)
    }

    fn expect_word(&mut self, word: &str) {
        self.skip_blank_lines();
        if self.bare_word() == Some(word) { self.at += word.len() } else { self.give_up() }
    }

    fn expect_byte(&mut self, byte: u8) {
        if self.peek() == Some(byte) { self.at += 1 } else { self.give_up() }
    }

    fn enter(&mut self) -> bool {
        if self.reading.depth >= MAX_DEPTH {
            self.give_up();
            return false;
        }
        self.reading.depth += 1;
        true
    }

    /// Leaves the rest of the text unread.
    fn give_up(&mut self) {
        self.reading.gave_up = true;
        self.at = self.bytes.len();
    }
}

/// Collects the parts of a word.
#[derive(Default)]
struct Collector {
    parts: Vec<Part>,
    quoted: bool,
}

impl Collector {
    /// Adds text; joins it to the text before when nothing stands between them in the source.
    fn literal(&mut self, text: &str, place: Place) {
        if text.is_empty() {
            return;
        }
        if let Some(Part::Literal { text: last, place: at }) = self.parts.last_mut()
            && at.arg == place.arg
            && at.span.end == place.span.start
            && at.span.len() as usize == last.len()
            && place.span.len() as usize == text.len()
        {
            last.push_str(text);
            *at = at.to(place);
            return;
        }
        self.parts.push(Part::Literal { text: text.to_owned(), place });
    }
}

/// `NAME=value` in front of a command or on its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The name, without a `+` or an index.
    pub name: String,
    /// What stands behind the `=`.
    pub value: Word,
}

impl Assignment {
    /// Reads a word as an assignment, if it is one.
    pub(super) fn cut(word: &Word) -> Option<Self> {
        let Some(Part::Literal { text, place }) = word.parts.first() else {
            return None;
        };
        let equals = text.find('=')?;
        let name = text[..equals].trim_end_matches('+');
        let name = name.split('[').next().unwrap_or_default();
        // A quote before the `=` would end the first literal there, so what was found is bare.
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            || !name.bytes().all(is_name)
            || place.span.start != word.place.span.start
        {
            return None;
        }
        let mut parts = word.parts.clone();
        let rest = text[equals + 1..].to_owned();
        let skipped = (equals + 1) as u32;
        let value_at = Place {
            arg: place.arg,
            span: crate::span::Span::new(place.span.start + skipped, place.span.end.max(place.span.start + skipped)),
        };
        if rest.is_empty() {
            parts.remove(0);
        } else {
            parts[0] = Part::Literal { text: rest, place: value_at };
        }
        let start = value_at.span.start;
        let span = crate::span::Span::new(start, word.place.span.end.max(start));
        let value = Word { parts, place: Place { arg: word.place.arg, span }, quoted: word.quoted };
        Some(Self { name: name.to_owned(), value })
    }
}

const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
