//! The arena that holds a parsed stream. Nodes lie in document order; a subtree is a run of neighbours, so there are no
//! child lists, no recursion, and dropping a tree is freeing three vectors.

use crate::span::Span;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain, quoted or block scalar.
    Scalar,
    /// A list.
    Sequence,
    /// A map.
    Mapping,
    /// `*name`. Readers follow it with [`Node::resolved`]; the tree never copies the target.
    Alias,
}

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Unquoted scalar, or one that is not there at all.
    Plain,
    /// `'...'`
    SingleQuoted,
    /// `"..."`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// Indented collection.
    Block,
    /// `{...}` or `[...]`
    Flow,
}

/// Who cannot read the document because of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Every YAML reader.
    Yaml,
    /// kubectl and the API server, although YAML itself would allow it.
    Kubectl,
}

/// Something wrong with the text itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// One sentence, no full stop.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Who stumbles.
    pub reader: Reader,
}

/// One document of a stream.
#[derive(Debug)]
pub struct Document {
    /// The bytes it was read from, separator line included.
    pub span: Span,
    /// What is wrong with it. A document with a root can be read all the same.
    pub problems: Vec<Problem>,
    /// Text after a `...` line that is not a document of its own for kubectl, which drops it without a word.
    pub ignored_tail: Option<Span>,
    root: Option<u32>,
}

pub(super) const OWNED_TEXT: u8 = 1;
const NO_TARGET: u32 = u32::MAX;

/// One node in 28 bytes.
#[derive(Clone, Copy, Debug)]
struct Raw {
    span: Span,
    /// Scalar: range of the text in the source, or in the side buffer with [`OWNED_TEXT`]. Alias: `text.start` is the
    /// target's id, or [`NO_TARGET`].
    text: Span,
    /// Id of the first node behind this subtree.
    skip: u32,
    kind: Kind,
    style: Style,
    flags: u8,
}

/// A stream of documents.
#[derive(Debug)]
pub struct Tree<'t> {
    text: &'t str,
    nodes: Vec<Raw>,
    side: String,
    documents: Vec<Document>,
    comments: Vec<Span>,
    /// Anchored nodes by id, with the span of `&name`; sorted by id.
    anchors: Vec<(u32, Span)>,
    /// Tagged nodes by id; core tags as `!!int`, others as written. Sorted by id.
    tags: Vec<(u32, Box<str>)>,
    /// Ids that some alias points at; sorted once the stream is read.
    shared: Vec<u32>,
}

impl<'t> Tree<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            nodes: Vec::new(),
            side: String::new(),
            documents: Vec::new(),
            comments: Vec::new(),
            anchors: Vec::new(),
            tags: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// The text that was parsed.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// All documents in order, broken and empty ones included.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Spans of all comments, `#` included, in order.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// The root of a document; `None` when it is empty or could not be read.
    pub fn root<'a>(&'a self, document: &Document) -> Option<Node<'a>> {
        document.root.map(|id| Node { tree: self, id })
    }

    pub(super) fn push_scalar(&mut self, span: Span, style: Style, decoded: &str, raw: Span) -> u32 {
        // Most scalars are their own source text; only escapes, folding and indentation need a copy.
        let (text, flags) = if raw.text(self.text) == decoded {
            (raw, 0)
        } else {
            let start = self.side.len() as u32;
            self.side.push_str(decoded);
            (Span::new(start, self.side.len() as u32), OWNED_TEXT)
        };
        self.push(Raw { span, text, skip: 0, kind: Kind::Scalar, style, flags })
    }

    pub(super) fn push_alias(&mut self, span: Span, target: Option<u32>) -> u32 {
        if let Some(target) = target {
            self.shared.push(target);
        }
        let text = Span::at(target.unwrap_or(NO_TARGET));
        self.push(Raw { span, text, skip: 0, kind: Kind::Alias, style: Style::Plain, flags: 0 })
    }

    pub(super) fn open(&mut self, span: Span, kind: Kind, style: Style) -> u32 {
        self.push(Raw { span, text: Span::default(), skip: 0, kind, style, flags: 0 })
    }

    pub(super) fn close(&mut self, id: u32, span: Span) {
        let skip = self.nodes.len() as u32;
        let node = &mut self.nodes[id as usize];
        node.skip = skip;
        node.span = span;
    }

    pub(super) fn span_of(&self, id: u32) -> Span {
        self.nodes[id as usize].span
    }

    pub(super) fn skip_of(&self, id: u32) -> u32 {
        self.nodes[id as usize].skip
    }

    pub(super) fn add_comment(&mut self, span: Span) {
        self.comments.push(span);
    }

    pub(super) fn add_anchor(&mut self, id: u32, span: Span) {
        self.anchors.push((id, span));
    }

    pub(super) fn add_tag(&mut self, id: u32, tag: Box<str>) {
        self.tags.push((id, tag));
    }

    pub(super) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Forgets the nodes of a document that broke off.
    pub(super) fn truncate(&mut self, len: u32) {
        self.nodes.truncate(len as usize);
        self.anchors.retain(|&(id, _)| id < len);
        self.tags.retain(|&(id, _)| id < len);
        self.shared.retain(|&id| id < len);
    }

    pub(super) fn finish_document(
        &mut self,
        span: Span,
        root: Option<u32>,
        problems: Vec<Problem>,
        ignored_tail: Option<Span>,
    ) {
        self.documents.push(Document { span, problems, ignored_tail, root });
    }

    pub(super) fn finish(&mut self) {
        self.shared.sort_unstable();
        self.shared.dedup();
    }

    pub(super) fn node(&self, id: u32) -> Node<'_> {
        Node { tree: self, id }
    }

    fn push(&mut self, mut raw: Raw) -> u32 {
        let id = self.nodes.len() as u32;
        raw.skip = id + 1;
        self.nodes.push(raw);
        id
    }
}

/// A place in a tree; cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    tree: &'t Tree<'t>,
    id: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl<'t> Node<'t> {
    fn raw(self) -> Raw {
        self.tree.nodes[self.id as usize]
    }

    /// What it is; an alias is an alias until [`Node::resolved`].
    pub fn kind(self) -> Kind {
        self.raw().kind
    }

    /// How it is written.
    pub fn style(self) -> Style {
        self.raw().style
    }

    /// Its bytes: quotes and brackets included, indicator and indentation of a block scalar excluded, trailing blanks
    /// and line ends excluded. Empty, behind the key, for a value that is not there.
    pub fn span(self) -> Span {
        self.raw().span
    }

    /// The bytes of a scalar's content that are its text to the letter, without quotes. `None` when escapes, folding or
    /// indentation stand between source and text, and for anything but a scalar.
    pub fn text_span(self) -> Option<Span> {
        let raw = self.raw();
        (raw.kind == Kind::Scalar && raw.flags & OWNED_TEXT == 0).then_some(raw.text)
    }

    /// Text of a scalar after YAML decoding; empty for anything else.
    pub fn text(self) -> &'t str {
        let raw = self.raw();
        match raw.kind {
            Kind::Scalar if raw.flags & OWNED_TEXT != 0 => raw.text.text(&self.tree.side),
            Kind::Scalar => raw.text.text(self.tree.text),
            _ => "",
        }
    }

    /// The text of the stream the node belongs to.
    pub fn source(self) -> &'t str {
        self.tree.text
    }

    /// The target of an alias, followed once (targets are never aliases); the node itself otherwise. `None` for an
    /// alias whose anchor does not exist or that lies inside its own target.
    pub fn resolved(self) -> Option<Self> {
        let raw = self.raw();
        if raw.kind != Kind::Alias {
            return Some(self);
        }
        if raw.text.start == NO_TARGET {
            return None;
        }
        let target = Self { tree: self.tree, id: raw.text.start };
        (target.raw().skip <= self.id).then_some(target)
    }

    /// The tag: core tags as `!!int`, others as written; `None` when there is none.
    pub fn tag(self) -> Option<&'t str> {
        let at = self.tree.tags.binary_search_by_key(&self.id, |&(id, _)| id).ok()?;
        Some(&self.tree.tags[at].1)
    }

    /// The bytes of `&name` before this node.
    pub fn anchor(self) -> Option<Span> {
        let at = self.tree.anchors.binary_search_by_key(&self.id, |&(id, _)| id).ok()?;
        Some(self.tree.anchors[at].1)
    }

    /// Whether some alias in the stream points at this very node.
    pub fn is_shared(self) -> bool {
        self.tree.shared.binary_search(&self.id).is_ok()
    }

    /// Items of a sequence in order; nothing for anything else.
    pub fn items(self) -> Items<'t> {
        let raw = self.raw();
        let end = if raw.kind == Kind::Sequence { raw.skip } else { self.id + 1 };
        Items { tree: self.tree, next: self.id + 1, end }
    }

    /// Keys and values of a mapping in the order they are written, duplicates and merge keys as they stand; nothing for
    /// anything else.
    pub fn entries(self) -> Entries<'t> {
        let raw = self.raw();
        let end = if raw.kind == Kind::Mapping { raw.skip } else { self.id + 1 };
        Entries { items: Items { tree: self.tree, next: self.id + 1, end } }
    }

    /// The value of the last entry with exactly this key, as lenient readers choose it. Merge keys are not looked at.
    pub fn get(self, key: &str) -> Option<Self> {
        self.entries()
            .filter(|(name, _)| name.kind() == Kind::Scalar && name.text() == key)
            .last()
            .map(|(_, value)| value)
    }
}

/// Children of a sequence.
#[derive(Clone, Debug)]
pub struct Items<'t> {
    tree: &'t Tree<'t>,
    next: u32,
    end: u32,
}

impl<'t> Iterator for Items<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node { tree: self.tree, id: self.next };
        self.next = node.raw().skip;
        Some(node)
    }
}

/// Keys and values of a mapping.
#[derive(Clone, Debug)]
pub struct Entries<'t> {
    items: Items<'t>,
}

impl<'t> Iterator for Entries<'t> {
    type Item = (Node<'t>, Node<'t>);

    fn next(&mut self) -> Option<(Node<'t>, Node<'t>)> {
        let key = self.items.next()?;
        let value = self.items.next()?;
        Some((key, value))
    }
}
