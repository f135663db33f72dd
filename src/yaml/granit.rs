//! Fills the tree from the events of `granit-parser`, the only module that knows the crate.

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span as EventSpan, StructureStyle, options};

use super::split::Chunk;
use super::tree::{Kind, Problem, Reader, Style, Tree};
use crate::span::{BYTE_ORDER_MARK, Span};

/// An open collection.
struct Open {
    id: u32,
    kind: Kind,
    flow: bool,
    /// Children so far; in a mapping an even number means that a key comes next.
    children: usize,
    /// The last key was a merge key.
    merges: bool,
}

/// Reads one document into the tree.
pub(super) fn read(tree: &mut Tree<'_>, chunk: &Chunk) {
    let whole = tree.text();
    // A byte order mark is allowed at the start of any document, as kubectl's reader allows it.
    let piece = chunk.span.text(whole);
    let text = piece.trim_start_matches(BYTE_ORDER_MARK);
    let base = chunk.span.start + (piece.len() - text.len()) as u32;
    let first_node = tree.len();
    let first_comment = tree.comments().len();
    let mut problems = chunk.problems.clone();
    if let Some(problem) = control_character(text, base) {
        problems.push(problem);
        tree.finish_document(chunk.span, None, problems, None);
        return;
    }
    let mut reading = Reading { tree, base, text, open: Vec::new(), targets: Vec::new(), root: None, problems };
    let outcome = reading.run();
    let Reading { root, mut problems, .. } = reading;
    let mut ignored_tail = None;
    match outcome {
        Ok(tail) => ignored_tail = tail,
        Err(error) => {
            tree.truncate(first_node);
            problems.insert(0, syntax_problem(&error, text, base));
        }
    }
    debug_assert!(tree.comments().len() >= first_comment);
    let root = root.filter(|&id| id < tree.len());
    tree.finish_document(chunk.span, root, problems, ignored_tail);
}

struct Reading<'r, 't> {
    tree: &'r mut Tree<'t>,
    /// Offset of `text` in the whole source.
    base: u32,
    text: &'r str,
    open: Vec<Open>,
    /// Node ids by the parser's anchor ids.
    targets: Vec<(usize, u32)>,
    root: Option<u32>,
    problems: Vec<Problem>,
}

impl Reading<'_, '_> {
    /// Reads the first document; answers with the text behind it, if kubectl would drop any.
    fn run(&mut self) -> Result<Option<Span>, ScanError> {
        let options = options! {
            emit_anchor_events: true,
            emit_unresolved_aliases: true,
            // The default turns a commented-out block of 97 lines into an error.
            max_buffered_comment_events: usize::MAX,
            block_scalar_eof_without_line_feed: true,
        };
        let mut last = 0;
        let mut documents = 0;
        let mut tail = None;
        for next in Parser::new_from_str_with_options(self.text, options) {
            let (event, place) = match next {
                Ok(next) => next,
                // What stands behind `...` is never read by kubectl, so an error there is none.
                Err(_) if documents > 1 => break,
                Err(error) => return Err(error),
            };
            let span = self.span(&place);
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        tail.get_or_insert(Span::new(span.start, self.base + self.text.trim_end().len() as u32));
                    }
                }
                _ if documents > 1 => {}
                Event::Comment(..) => self.tree.add_comment(span),
                Event::Anchor(id, _) => {
                    self.targets.push((id, last));
                    self.tree.add_anchor(last, span);
                }
                Event::Scalar(value, style, _, tag) => {
                    let style = scalar_style(style);
                    let (span, raw) = self.scalar_spans(span, style);
                    last = self.tree.push_scalar(span, style, &value, raw);
                    self.tag(last, tag.as_deref());
                    self.child(last);
                }
                Event::Alias(id) => {
                    let target = self.targets.iter().rev().find(|&&(anchor, _)| anchor == id).map(|&(_, node)| node);
                    last = self.tree.push_alias(span, target);
                    self.child(last);
                }
                Event::UnresolvedAlias(name) => {
                    last = self.tree.push_alias(span, None);
                    self.child(last);
                    self.problems.push(Problem {
                        span,
                        message: format!("the alias `*{name}` has no anchor before it in this document"),
                        help: format!("define `&{name}` earlier in the same document, or write the value out"),
                        reader: Reader::Yaml,
                    });
                }
                Event::SequenceStart(style, _, tag) => last = self.open(span, Kind::Sequence, style, tag.as_deref()),
                Event::MappingStart(style, _, tag) => last = self.open(span, Kind::Mapping, style, tag.as_deref()),
                Event::SequenceEnd | Event::MappingEnd => self.close(span),
                _ => {}
            }
        }
        Ok(tail)
    }

    fn span(&self, place: &EventSpan) -> Span {
        let range = place.byte_range().unwrap_or(0..0);
        Span::new(self.base + range.start as u32, self.base + range.end as u32)
    }

    /// The span a reader sees, and the bytes that would be the text if nothing had to be decoded.
    fn scalar_spans(&self, span: Span, style: Style) -> (Span, Span) {
        let whole = self.tree.text();
        match style {
            Style::SingleQuoted | Style::DoubleQuoted if span.len() >= 2 => {
                (span, Span::new(span.start + 1, span.end - 1))
            }
            // The event of a block scalar runs on to the next token.
            Style::Literal | Style::Folded => {
                let trimmed = span.text(whole).trim_end();
                let shown = Span::new(span.start, span.start + trimmed.len() as u32);
                (shown, span)
            }
            _ => (span, span),
        }
    }

    fn tag(&mut self, id: u32, tag: Option<&granit_parser::Tag>) {
        if let Some(tag) = tag {
            let name = match tag.core_suffix() {
                Some(suffix) => format!("!!{suffix}"),
                None => tag.original(),
            };
            self.tree.add_tag(id, name.into());
        }
    }

    fn open(&mut self, span: Span, kind: Kind, style: StructureStyle, tag: Option<&granit_parser::Tag>) -> u32 {
        let flow = style == StructureStyle::Flow;
        let id = self.tree.open(span, kind, if flow { Style::Flow } else { Style::Block });
        self.tag(id, tag);
        self.child(id);
        self.open.push(Open { id, kind, flow, children: 0, merges: false });
        id
    }

    /// Notes a new node as child of the innermost open collection, or as the root.
    fn child(&mut self, id: u32) {
        let Some(parent) = self.open.last_mut() else {
            self.root.get_or_insert(id);
            return;
        };
        parent.children += 1;
        if parent.kind != Kind::Mapping {
            return;
        }
        if parent.children % 2 == 1 {
            let key = self.tree.node(id);
            parent.merges = key.kind() == Kind::Scalar && key.style() == Style::Plain && key.text() == "<<";
            self.check_key(id);
        } else if parent.merges {
            self.check_merge(id);
        }
    }

    /// A merge key takes a map, or a list of maps.
    fn check_merge(&mut self, id: u32) {
        let node = self.tree.node(id);
        // An alias without an anchor is a fault of its own.
        if node.resolved().is_none_or(|value| value.kind() != Kind::Scalar) {
            return;
        }
        let problem = Problem {
            span: node.span(),
            message: "a merge key `<<` takes a map or a list of maps, not a single value".to_owned(),
            help: "merge an alias of a map, or delete the line".to_owned(),
            reader: Reader::Kubectl,
        };
        self.problems.push(problem);
    }

    /// Keys that YAML allows and kubectl's YAML-to-JSON step refuses.
    fn check_key(&mut self, id: u32) {
        let node = self.tree.node(id);
        let is_null = node.kind() == Kind::Scalar && super::scalar::is_null(node);
        let is_collection = matches!(node.kind(), Kind::Sequence | Kind::Mapping);
        if is_null || is_collection {
            let span = node.span();
            let what = if is_null { "null" } else { "a list or map" };
            self.problems.push(Problem {
                span,
                message: format!("the key is {what}: kubectl refuses the document"),
                help: "write a text as the key; quote it if it holds braces or `~`".to_owned(),
                reader: Reader::Kubectl,
            });
        }
    }

    fn close(&mut self, end: Span) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let start = self.tree.span_of(open.id);
        let span = if open.flow {
            Span::new(start.start, end.end)
        } else {
            // A block collection ends where its last child ends; its start event may lie behind the first dash.
            let mut last = None;
            let mut first = None;
            let mut child = open.id + 1;
            while child < self.tree.len() {
                first.get_or_insert(self.tree.span_of(child).start);
                last = Some(self.tree.span_of(child));
                child = self.tree.skip_of(child);
            }
            let begin = match (open.kind, first) {
                (Kind::Sequence, Some(first)) => dash_before(self.tree.text(), first).unwrap_or(start.start),
                (_, Some(first)) => first,
                _ => start.start,
            };
            Span::new(begin, last.map_or(start.end, |last| last.end).max(begin))
        };
        self.tree.close(open.id, span);
    }
}

/// The dash that introduces the item whose content starts at `at`: the nearest one before it with only blanks, anchors
/// or tags between.
fn dash_before(text: &str, at: u32) -> Option<u32> {
    let bytes = text.as_bytes();
    let mut index = at as usize;
    while index > 0 {
        index -= 1;
        match bytes[index] {
            b'-' if matches!(bytes.get(index + 1), Some(b' ' | b'\t' | b'\n' | b'\r') | None)
                && (index == 0 || matches!(bytes[index - 1], b' ' | b'\t' | b'\n' | b'\r')) =>
            {
                return Some(index as u32);
            }
            _ if at as usize - index > 4096 => return None,
            _ => {}
        }
    }
    None
}

fn scalar_style(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

/// The first character that no YAML reader takes.
///
/// Source: yaml/go-yaml v2 `readerc.go`, "control characters are not allowed".
fn control_character(text: &str, base: u32) -> Option<Problem> {
    // One pass over bytes in the common case; C2 introduces U+0080..U+00BF, of which only U+0085 and up from U+00A0 are
    // allowed.
    let bytes = text.as_bytes();
    let at = bytes.iter().enumerate().position(|(index, &byte)| match byte {
        b'\t' | b'\n' | b'\r' => false,
        0..0x20 | 0x7f => true,
        0xc2 => matches!(bytes.get(index + 1), Some(&next) if next < 0xa0 && next != 0x85),
        _ => false,
    })?;
    let character = text[at..].chars().next()?;
    Some(Problem {
        span: Span::new(base + at as u32, base + (at + character.len_utf8()) as u32),
        message: format!("control character U+{:04X} is not allowed in YAML", character as u32),
        help: "delete it, or write it as an escape inside double quotes".to_owned(),
        reader: Reader::Yaml,
    })
}

fn syntax_problem(error: &ScanError, text: &str, base: u32) -> Problem {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    let (message, help) = explain(error.kind(), text, at);
    // A tab in the indentation is pointed at, not what stands behind it.
    let line_start = text[..at].rfind(['\n', '\r']).map_or(0, |index| index + 1);
    let blanks = &text[line_start..at];
    let at = match blanks.find('\t') {
        Some(tab) if blanks.trim().is_empty() => line_start + tab,
        _ => at,
    };
    let rest = &text[at..];
    let length = rest.chars().next().filter(|next| !matches!(next, '\n' | '\r')).map_or(0, char::len_utf8);
    let start = base + at as u32;
    Problem { span: Span::new(start, start + length as u32), message, help, reader: Reader::Yaml }
}

/// The parser's finding in words for a person who wrote a manifest, and what to look at.
fn explain(kind: &ErrorKind, text: &str, at: usize) -> (String, String) {
    use ErrorKind as E;
    let line_start = text[..at].rfind(['\n', '\r']).map_or(0, |index| index + 1);
    let indentation = &text[line_start..at];
    let tab = indentation.contains('\t') && indentation.trim().is_empty();
    let (message, help) = match kind {
        _ if tab => ("a tab is used as indentation", "indent with spaces"),
        E::TabNotAllowed | E::TabInBlockIndentation | E::TabInIndentation | E::TabInPlainScalar => {
            ("a tab is used as indentation", "indent with spaces")
        }
        E::UnexpectedEofFlowSequence | E::UnclosedFlowCollection { open: '[' } => {
            ("a `[` is never closed", "add the missing `]`")
        }
        E::UnexpectedEofFlowMapping | E::UnexpectedEofImplicitFlowMapping | E::UnclosedFlowCollection { open: '{' } => {
            ("a `{` is never closed", "add the missing `}`")
        }
        E::ExpectedFlowMappingSeparator => ("`,` or `}` is missing here", "close the map or separate its entries"),
        E::ExpectedFlowSequenceSeparator => ("`,` or `]` is missing here", "close the list or separate its items"),
        E::MisplacedFlowCollectionEnd | E::MismatchedFlowCollectionEnd { .. } => {
            ("this closing bracket matches no opening one", "remove it, or correct the opening bracket")
        }
        E::UnclosedQuotedScalar => ("a quoted text is never closed", "add the missing quote"),
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => (
            "text stands directly behind a closing quote",
            "escape the inner quote, or quote the whole value with the other kind of quote",
        ),
        E::UnknownQuotedScalarEscape => {
            ("unknown escape in a double-quoted text", "double the backslash, or use single quotes")
        }
        E::SimpleKeyExpected | E::InvalidSimpleKey => (
            "a line that is neither a `key: value` nor a list item",
            "add the `:` with a space behind it, or indent the line as part of the value above",
        ),
        E::MappingValueNotAllowed | E::InvalidColonPlacement | E::InvalidMappingValueWhitespace => (
            "a `:` stands where no key can be",
            "quote the value if it holds `: `, or check the indentation of this line",
        ),
        E::MappingKeyNotAllowed
        | E::ExpectedBlockMappingKey
        | E::InvalidIndentation
        | E::ExpectedBlockSequenceEntry => (
            "the indentation fits no open map or list",
            "align the line with its siblings; compare it with the line above",
        ),
        E::BlockSequenceEntryNotAllowed | E::BlockEntryInFlowCollection => (
            "a `- ` item stands where no list can begin",
            "put the list on its own lines below its key, one level deeper",
        ),
        E::RecursionLimitExceeded => ("the nesting is deeper than 255 levels", "flatten the document"),
        E::ExpectedDocumentStart => (
            "text stands behind the end of the document",
            "put `---` on a line of its own between two documents, or delete the text",
        ),
        E::UndeclaredTagHandle => ("the tag's handle is not declared", "remove the tag, or quote the value"),
        E::UnexpectedCharacter { character } => {
            return (format!("`{}` cannot start a value", character.escape_default()), "quote the value".to_owned());
        }
        E::UnexpectedEof | E::UnexpectedEofBlockMapping | E::UnexpectedEofBlockSequence => {
            ("the document ends in the middle of a value", "complete it")
        }
        other => return (format!("not valid YAML: {other}"), "correct the syntax at this place".to_owned()),
    };
    (message.to_owned(), help.to_owned())
}
