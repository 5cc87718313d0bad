//! The comparison of two record files.

use std::fs::File;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::{Failure, RECORD_HEADER};

/// The first record in which two record files differ.
///
/// # Errors
/// A file that cannot be read or is no record file.
pub fn diff(a: &Path, b: &Path) -> Result<Option<Value>, Failure> {
    let open = |path: &Path| {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| Failure::Io(name.clone(), e))?;
        let mut lines = io::BufRead::lines(io::BufReader::new(file));
        match lines.next() {
            Some(Ok(first)) if first == RECORD_HEADER => Ok((name, lines)),
            _ => Err(Failure::Io(
                name,
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    "not a record file: its first line is not that of `run --record`",
                ),
            )),
        }
    };
    let ((name_a, mut a), (name_b, mut b)) = (open(a)?, open(b)?);
    for number in 1u64.. {
        let one = a
            .next()
            .transpose()
            .map_err(|e| Failure::Io(name_a.clone(), e))?;
        let other = b
            .next()
            .transpose()
            .map_err(|e| Failure::Io(name_b.clone(), e))?;
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
