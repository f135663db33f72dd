//! What is known of a client program, and how its command line is read with that knowledge. The rows come from
//! `rules/knowledge/clients.yaml`; nothing here knows a program by name.

use super::place::Place;
use super::run::Run;
use super::word::Value;

/// One row of the table: a program, or several that are spelt alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Client {
    /// File names of the program; several words for a subcommand (`python -m celery`).
    pub names: Vec<String>,
    /// What it talks to.
    pub kind: Kind,
    /// What has to start before it can ask anything.
    pub runtime: Runtime,
    /// Least probe timeout in seconds that is not tight for starting it on a busy node.
    pub minimum_timeout: Option<u32>,
    /// Whether it talks to something outside the container when it is given no address.
    pub default_elsewhere: bool,
    /// How its options are spelt.
    pub options: Options,
    /// Where the other end is named.
    pub host: Vec<Spelling>,
    /// Where its port is named.
    pub port: Vec<Spelling>,
    /// Which time limits it takes.
    pub timeout: Vec<Limit>,
    /// Where the number of attempts is named.
    pub attempts: Vec<Spelling>,
    /// Questions that are not about the process at hand.
    pub asks: Vec<Ask>,
    /// Questions whose exit status says less than one would think.
    pub replies: Vec<Reply>,
    /// Which servers answer it before they serve.
    pub first_start: Option<FirstStart>,
    /// The program and the page of its documentation on which the row rests.
    pub source: String,
}

/// What a program talks to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A database.
    Database,
    /// A message broker or a stream.
    Queue,
    /// A cache or key-value store.
    Cache,
    /// A search engine.
    Search,
    /// A coordination service or a store of secrets.
    Cluster,
    /// A task worker, through its broker.
    Worker,
    /// Any HTTP server.
    Http,
    /// A gRPC health service.
    Grpc,
    /// Any TCP server.
    Tcp,
    /// A name server.
    Dns,
    /// Any host.
    Ping,
    /// Whatever the code given to it says.
    Interpreter,
    /// Nothing, or nothing known.
    #[default]
    Other,
}

impl Kind {
    /// The kind that the table spells so.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "database" => Self::Database,
            "queue" => Self::Queue,
            "cache" => Self::Cache,
            "search" => Self::Search,
            "cluster" => Self::Cluster,
            "worker" => Self::Worker,
            "http" => Self::Http,
            "grpc" => Self::Grpc,
            "tcp" => Self::Tcp,
            "dns" => Self::Dns,
            "ping" => Self::Ping,
            "interpreter" => Self::Interpreter,
            "other" => Self::Other,
            _ => return None,
        })
    }
}

/// What has to start before a program does anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runtime {
    /// Machine code: milliseconds.
    #[default]
    Native,
    /// A Java virtual machine.
    Jvm,
    /// Node.js, or a shell built on it.
    Node,
    /// Python.
    Python,
    /// The Erlang virtual machine.
    Erlang,
    /// PHP.
    Php,
    /// Ruby.
    Ruby,
    /// Perl.
    Perl,
    /// .NET.
    Dotnet,
}

impl Runtime {
    /// The runtime that the table spells so.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "native" => Self::Native,
            "jvm" => Self::Jvm,
            "node" => Self::Node,
            "python" => Self::Python,
            "erlang" => Self::Erlang,
            "php" => Self::Php,
            "ruby" => Self::Ruby,
            "perl" => Self::Perl,
            "dotnet" => Self::Dotnet,
            _ => return None,
        })
    }
}

/// How options are told from other words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// One dash begins a long option (`-addr=:8080`), and letters are never bundled.
    pub single_dash: bool,
    /// The first word that is no option ends the options (`redis-cli ping --user x` sends `--user x`).
    pub end_at_word: bool,
    /// Options that take a value, attached or as the next word.
    pub values: Vec<String>,
    /// Options whose value, if any, is attached (`mysql -pSECRET`).
    pub attached: Vec<String>,
}

/// One place on the command line or in the environment where something is named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spelling {
    /// Options whose value it is.
    pub options: Vec<String>,
    /// Index, from 0, of the word among those that are no options.
    pub positional: Option<usize>,
    /// Every word that is no option.
    pub all_positionals: bool,
    /// Environment variables, the strongest first.
    pub environment: Vec<String>,
    /// How the value is written.
    pub form: Form,
}

/// How an address is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `host`, `host:port`, `[::1]:port`, `scheme://host:port/path`, `/socket`; several of them with commas between.
    #[default]
    Address,
    /// A URL, whose scheme may be missing (`localhost:8080/health`).
    Url,
    /// A URL or `host=... port=...`; anything else is no address.
    ConnectionString,
    /// A URL or `host[:port]/name`; anything else is no address.
    MongoAddress,
    /// `@host`; anything else is no address.
    AtHost,
    /// Program code or a request: every `scheme://host` in it.
    Code,
}

impl Form {
    /// The form that the table spells so.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "address" => Self::Address,
            "url" => Self::Url,
            "connection-string" => Self::ConnectionString,
            "mongo-address" => Self::MongoAddress,
            "at-host" => Self::AtHost,
            "code" => Self::Code,
            _ => return None,
        })
    }
}

/// A time limit that a program takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limit {
    /// Where it is named.
    pub at: Spelling,
    /// How many seconds a bare number of 1 means: 1 for seconds, 0.001 for milliseconds.
    pub unit: f64,
    /// What it limits.
    pub scope: Scope,
    /// The limit in seconds when none is written.
    pub default: Option<f64>,
}

/// What a time limit limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The whole run.
    #[default]
    Total,
    /// Making the connection.
    Connect,
    /// Each silence on the way, or each single try.
    Each,
    /// Nothing: the program waits this long on purpose.
    Sleep,
}

impl Scope {
    /// The scope that the table spells so.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "total" => Self::Total,
            "connect" => Self::Connect,
            "each" => Self::Each,
            "sleep" => Self::Sleep,
            _ => return None,
        })
    }
}

/// A question that is about more than the process at hand, even when it is put to that process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    /// Words of the command that must be there, in this order.
    pub words: Vec<String>,
    /// Text that some word must hold; any one of them.
    pub texts: Vec<String>,
    /// Text that makes the question harmless when some word holds it.
    pub unless: Vec<String>,
    /// Options that narrow the question to the process at hand, though others still decide whether it is answered.
    pub own: Vec<String>,
    /// Text that a reader of the output must look for.
    pub read_for: Option<String>,
    /// Whom the answer depends on.
    pub about: About,
    /// The documentation that says so.
    pub source: String,
}

/// Whom an answer depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// A broker or a store between the client and the process.
    Broker,
    /// The other members, or all of them.
    #[default]
    Cluster,
    /// Whether most of the members agree, without which none of them serves.
    Quorum,
    /// Which member is the leader, the primary or the active one.
    Role,
    /// Whether this member is that one: no other passes.
    Leader,
    /// A state that restarting does not change: sealed, out of memory or disk, standby.
    State,
}

impl About {
    /// The answer that the table spells so.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "broker" => Self::Broker,
            "cluster" => Self::Cluster,
            "quorum" => Self::Quorum,
            "role" => Self::Role,
            "leader" => Self::Leader,
            "state" => Self::State,
            _ => return None,
        })
    }
}

/// A question whose exit status is 0 although the answer is a refusal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// Words of the command that must be there, in this order.
    pub words: Vec<String>,
    /// What the output holds when all is well.
    pub expect: Option<String>,
    /// What also exits with 0, as a phrase.
    pub succeeds_on: String,
    /// The one of these answers that goes away by itself, so that a restart on it only begins anew.
    pub transient: Option<String>,
    /// Options with which the exit status tells refusals apart.
    pub unless: Vec<String>,
    /// Ports of servers that never refuse so.
    pub ports: Vec<String>,
    /// What to do instead, as a clause.
    pub instead: String,
    /// The documentation that says so.
    pub source: String,
}

/// Servers whose image, on its first start, runs another server that listens on the socket alone, to fill an empty data
/// directory. A client that comes through the socket takes it for the real one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstStart {
    /// Last names of the images.
    pub images: Vec<String>,
    /// Parts of image references that stand for another entrypoint.
    pub unless: Vec<String>,
    /// Whether the client takes the host `localhost` for the socket.
    pub localhost: bool,
    /// Options that may lead past the socket.
    pub network: Vec<String>,
    /// The option and address that ask over the network.
    pub instead: String,
    /// The documentation or script that says so.
    pub source: String,
}

/// A command line, told apart into options and other words.
#[derive(Clone, Debug, Default)]
pub struct Given<'e> {
    /// In the order of the text.
    pub options: Vec<GivenOption<'e>>,
    /// The words that are no options, without the program.
    pub positionals: Vec<Value<'e>>,
    /// Whether a word may turn into options that are not in the text (`$OPTS`, `"$@"`).
    pub unsure: bool,
}

/// An option on a command line.
#[derive(Clone, Debug)]
pub struct GivenOption<'e> {
    /// With its dashes: `-h`, `--host`, `-addr`.
    pub name: String,
    /// Its value, if it takes one and has one.
    pub value: Option<Value<'e>>,
    /// The word with the option.
    pub place: Place,
}

impl<'e> Given<'e> {
    /// Reads the words of `run` from `from` on.
    pub fn read(run: &'e Run, from: usize, options: &Options) -> Self {
        let mut given = Self::default();
        let mut words = run.words.iter().skip(from);
        let mut only_positionals = false;
        while let Some(word) = words.next() {
            let value = Value::of(word);
            let text = value.text();
            if word.may_split() && word.parts.len() == 1 {
                given.unsure = true;
            }
            if only_positionals || text.len() < 2 || !text.starts_with('-') {
                only_positionals |= options.end_at_word;
                given.positionals.push(value);
                continue;
            }
            if text == "--" {
                only_positionals = true;
                continue;
            }
            let place = word.place;
            if options.single_dash || text.starts_with("--") {
                let equals = text.find('=');
                let mut name = text[..equals.unwrap_or(text.len())].to_owned();
                // Go programs take one dash for two.
                if options.single_dash && name.starts_with("--") {
                    name.remove(0);
                }
                let value = match equals {
                    Some(at) => Some(value.from(at + 1)),
                    None if options.values.contains(&name) => words.next().map(Value::of),
                    None => None,
                };
                given.options.push(GivenOption { name, value, place });
                continue;
            }
            for (index, letter) in text.char_indices().skip(1) {
                let name = format!("-{letter}");
                let end = index + letter.len_utf8();
                if options.values.contains(&name) {
                    let value = if end < text.len() { Some(value.from(end)) } else { words.next().map(Value::of) };
                    given.options.push(GivenOption { name, value, place });
                    break;
                }
                if options.attached.contains(&name) {
                    let value = (end < text.len()).then(|| value.from(end));
                    given.options.push(GivenOption { name, value, place });
                    break;
                }
                if letter == super::word::HOLE {
                    given.unsure = true;
                    break;
                }
                given.options.push(GivenOption { name, value: None, place });
            }
        }
        given
    }

    /// Whether an option of this name is there.
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.name == name)
    }

    /// The values that a spelling names, from options first; the environment is not on the command line.
    pub fn named(&self, spelling: &Spelling) -> Vec<&Value<'e>> {
        let mut values: Vec<_> = self
            .options
            .iter()
            .filter(|option| spelling.options.contains(&option.name))
            .filter_map(|option| option.value.as_ref())
            .collect();
        if spelling.all_positionals {
            values.extend(&self.positionals);
        } else if let Some(index) = spelling.positional {
            values.extend(self.positionals.get(index));
        }
        values
    }
}

impl Client {
    /// How many leading words of `run` name this client.
    pub fn named_by(&self, run: &Run) -> Option<usize> {
        if run.keyword {
            return None;
        }
        self.names.iter().filter_map(|name| run.spells(name)).max()
    }
}
