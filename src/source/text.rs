//! Reads one text, and owns the words for what cannot be read. Which files are read is decided in `walk`.

use std::fs::{File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::span::LineIndex;

/// Longest text that is read, in bytes: spans count bytes in 32 bits, and half of their range is ample.
pub(super) const MAX_BYTES: u64 = 1 << 31;

/// Why something cannot be read.
#[derive(Debug)]
pub(super) enum Fault {
    Io(io::Error),
    DanglingLink,
    OverSize,
    NotRegular(&'static str),
    Utf16,
    NotUtf8 { byte: u8, offset: usize, line: u32 },
}

impl Fault {
    pub(super) fn new(error: io::Error, path: &Path) -> Self {
        if error.kind() == ErrorKind::NotFound && path.is_symlink() { Self::DanglingLink } else { Self::Io(error) }
    }

    pub(super) fn message(&self) -> String {
        match self {
            Self::Io(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
                    "no such file or folder".to_owned()
                }
                ErrorKind::PermissionDenied => "permission denied".to_owned(),
                ErrorKind::OutOfMemory => "too large for the memory that is free".to_owned(),
                _ => format!("cannot be read: {error}"),
            },
            Self::DanglingLink => "the symbolic link points to nothing".to_owned(),
            Self::OverSize => format!("larger than {} GiB", MAX_BYTES >> 30),
            Self::NotRegular(kind) => format!("{kind}, not a file"),
            Self::Utf16 => "the text is UTF-16".to_owned(),
            Self::NotUtf8 { byte, offset, line } => {
                format!("not UTF-8: byte 0x{byte:02X} at byte offset {offset} (line {line})")
            }
        }
    }

    pub(super) fn help(&self) -> &'static str {
        match self {
            Self::Io(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
                    "check the spelling, or name the folder that holds the manifests"
                }
                ErrorKind::PermissionDenied => "make it readable, or hide it from the walk with a line in `.ignore`",
                ErrorKind::OutOfMemory => "split it into smaller files",
                _ => "check that it can be opened with other programs",
            },
            Self::DanglingLink => "restore its target or delete the link",
            Self::OverSize => "split it into smaller files, or hide it from the walk with a line in `.ignore`",
            Self::NotRegular(_) => "pass its text on standard input and write `-` for the path",
            Self::Utf16 => "save it as UTF-8; in Windows PowerShell, use `Out-File -Encoding utf8` instead of `>`",
            Self::NotUtf8 { .. } => "save it as UTF-8",
        }
    }
}

/// What a thing that is neither file nor folder is called.
#[cfg(unix)]
pub(super) fn describe(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "a special file"
    }
}

/// Whether it is a pipe, as `<(helm template .)` makes one: named by the user it is read like standard input.
#[cfg(unix)]
pub(super) fn is_pipe(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo()
}

/// Whether it is a pipe; elsewhere pipes have no paths.
#[cfg(not(unix))]
pub(super) fn is_pipe(_: FileType) -> bool {
    false
}

/// What a thing that is neither file nor folder is called.
#[cfg(not(unix))]
pub(super) fn describe(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "a special file" }
}

/// Reads the text of a file.
pub(super) fn read_file(path: &Path) -> Result<String, Fault> {
    let file = File::open(path).map_err(|error| Fault::new(error, path))?;
    let metadata = file.metadata().map_err(Fault::Io)?;
    if is_pipe(metadata.file_type()) {
        return read_stream(file);
    }
    if !metadata.is_file() {
        return Err(Fault::NotRegular(describe(metadata.file_type())));
    }
    read_limited(file, metadata.len(), MAX_BYTES)
}

/// Reads the text of something that does not know its size.
pub(super) fn read_stream(input: impl Read) -> Result<String, Fault> {
    read_limited(input, 0, MAX_BYTES)
}

/// Reads a text of about `expected` and at most `limit` bytes.
fn read_limited(input: impl Read, expected: u64, limit: u64) -> Result<String, Fault> {
    if expected > limit {
        return Err(Fault::OverSize);
    }
    let mut bytes = Vec::new();
    // One byte more lets the last read see the end without growing the buffer.
    let capacity = usize::try_from(expected).unwrap_or(usize::MAX).saturating_add(1);
    bytes.try_reserve_exact(capacity).map_err(|_| Fault::Io(ErrorKind::OutOfMemory.into()))?;
    input.take(limit + 1).read_to_end(&mut bytes).map_err(Fault::Io)?;
    if bytes.len() as u64 > limit {
        return Err(Fault::OverSize);
    }
    String::from_utf8(bytes).map_err(|error| find_encoding_fault(error.as_bytes(), error.utf8_error().valid_up_to()))
}

/// Says what is wrong with bytes that are UTF-8 only up to `offset`.
fn find_encoding_fault(bytes: &[u8], offset: usize) -> Fault {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Fault::Utf16;
    }
    let before = bytes.get(..offset).and_then(|before| str::from_utf8(before).ok()).unwrap_or_default();
    let byte = bytes.get(offset).copied().unwrap_or_default();
    Fault::NotUtf8 { byte, offset, line: LineIndex::new(before).lines() }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_text_over_the_limit_is_refused_whatever_its_size_claims_to_be() {
        assert_eq!(read_limited(Cursor::new("12345"), 5, 5).unwrap(), "12345");
        assert!(matches!(read_limited(Cursor::new("123456"), 0, 5), Err(Fault::OverSize)));
        assert!(matches!(read_limited(Cursor::new("1"), 6, 5), Err(Fault::OverSize)));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_placed_by_offset_and_line() {
        for (bytes, message) in [
            (b"a: 1\r\nb: caf\xE9\n".as_slice(), "not UTF-8: byte 0xE9 at byte offset 12 (line 2)"),
            (b"caf\xC3", "not UTF-8: byte 0xC3 at byte offset 3 (line 1)"),
            (b"\xFF\xFEa\0", "the text is UTF-16"),
            (b"\xFE\xFF\0a", "the text is UTF-16"),
        ] {
            let fault = read_stream(Cursor::new(bytes)).unwrap_err();
            assert_eq!(fault.message(), message);
            assert!(fault.help().starts_with("save it as UTF-8"), "{}", fault.help());
        }
    }
}
