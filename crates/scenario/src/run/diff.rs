//! The comparison of two record files.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use serde_json::{Value, json};

use super::{Failure, RECORD_HEADER};

/// Bytes of the longest line that is read: a record names a place and a flow.
const LONGEST_LINE: u64 = 1 << 20;

/// The lines of a record file after its header.
struct Records {
    name: String,
    file: io::BufReader<File>,
}

impl Records {
    fn open(path: &Path) -> Result<Records, Failure> {
        let name = path.display().to_string();
        let failed = |e| Failure::Io(name.clone(), e);
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            return Err(failed(invalid("it is not a regular file")));
        }
        let file = io::BufReader::new(File::open(path).map_err(failed)?);
        let mut records = Records { name, file };
        match records.next() {
            Ok(Some(first)) if first == RECORD_HEADER => Ok(records),
            _ => Err(Failure::Io(
                records.name,
                invalid("not a record file: its first line is not that of `run --record`"),
            )),
        }
    }

    fn next(&mut self) -> Result<Option<String>, Failure> {
        let mut line = String::new();
        let failed = |e| Failure::Io(self.name.clone(), e);
        let mut bounded = self.file.by_ref().take(LONGEST_LINE);
        let read = bounded.read_line(&mut line).map_err(failed)?;
        if read as u64 == LONGEST_LINE {
            return Err(failed(invalid("a line is longer than those of a record")));
        }
        Ok((read > 0).then(|| line.trim_end_matches('\n').to_owned()))
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The first record in which two record files differ.
///
/// # Errors
/// A file that cannot be read or is no record file.
pub fn diff(a: &Path, b: &Path) -> Result<Option<Value>, Failure> {
    let (mut a, mut b) = (Records::open(a)?, Records::open(b)?);
    for number in 1u64.. {
        let (one, other) = (a.next()?, b.next()?);
        if one != other {
            let fields = |line: Option<String>| match line {
                None => Value::Null,
                Some(line) => RECORD_HEADER
                    .split(',')
                    .map(str::to_owned)
                    .zip(line.split(',').map(|f| json!(f)))
                    .collect(),
            };
            return Ok(Some(
                json!({"record": number, "a": fields(one), "b": fields(other)}),
            ));
        }
        if one.is_none() {
            break;
        }
    }
    Ok(None)
}
