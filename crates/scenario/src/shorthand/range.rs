//! Ranges: a row with the name `f{1..12}` is twelve rows, and a text of it that has a range takes the number in step.

use std::collections::BTreeMap;

use super::moved;
use crate::diagnostic::{Diagnostic, Fault};
use crate::tree::{Entry, Node, Value, join};

/// All ranges of a scenario make no more names, so that a typing error does not fill the memory.
const MOST_NAMES: u64 = 100_000;

const FORM: &str = "write a range as {1..12}, one in a name";

/// `{1..12}`: from the first number to the last, up or down.
#[derive(Copy, Clone)]
struct Range {
    first: u64,
    last: u64,
    /// Digits at least, where the first number has a leading zero.
    width: usize,
}

impl Range {
    fn count(self) -> u64 {
        self.first.abs_diff(self.last) + 1
    }

    fn number(self, step: u64) -> String {
        let number = if self.first <= self.last {
            self.first + step
        } else {
            self.first - step
        };
        format!("{number:0width$}", width = self.width)
    }
}

/// Gives each name of each range in a table a row of its own. `made` counts them.
pub fn write_out(table: &mut Node, made: &mut u64) -> Result<(), Diagnostic> {
    if !table.entries().iter().any(|e| e.key.contains(['{', '}'])) {
        return Ok(());
    }
    let mut rows: Vec<Entry> = Vec::new();
    let mut written_by: BTreeMap<String, String> = BTreeMap::new();
    for entry in table.entries() {
        for row in rows_of(entry, &table.path, made)? {
            if let Some(other) = written_by.insert(row.key.clone(), entry.key.clone()) {
                let what = format!(
                    "`{}` is written twice, by `{other}` and by `{}`",
                    row.node.path, entry.key
                );
                let fix = "end one range before this name, and begin another behind it";
                return Err(Fault::new(what, fix).at(&entry.origin));
            }
            rows.push(row);
        }
    }
    table.value = Value::Table(rows);
    Ok(())
}

/// The rows of one entry: itself, or one for each number of its range.
fn rows_of(entry: &Entry, table: &str, made: &mut u64) -> Result<Vec<Entry>, Diagnostic> {
    if !entry.key.contains(['{', '}']) {
        return Ok(vec![entry.clone()]);
    }
    let refuse = |what: String, fix: &str| Fault::new(what, fix).at(&entry.origin);
    let no_range = || {
        refuse(
            format!("`{}` has no range that can be read", entry.key),
            FORM,
        )
    };
    let pieces = pieces(&entry.key).ok_or_else(no_range)?;
    let [Piece::Range(range)] = pieces
        .iter()
        .filter(|p| !matches!(p, Piece::Plain(_)))
        .copied()
        .collect::<Vec<_>>()[..]
    else {
        return Err(no_range());
    };
    *made = made.saturating_add(range.count());
    if *made > MOST_NAMES {
        let what = format!(
            "the ranges up to `{}` make {made} names, more than {MOST_NAMES}",
            entry.key
        );
        return Err(refuse(what, "write a shorter range"));
    }
    in_step(&entry.node, &entry.key, range.count())?;
    let row = |step| {
        let key = written(&pieces, step);
        let text = |t: &str| self::pieces(t).map_or_else(|| t.to_owned(), |p| written(&p, step));
        let node = moved(&entry.node, join(table, &key), &text);
        Entry {
            key,
            origin: entry.origin.clone(),
            node,
        }
    };
    Ok((0..range.count()).map(row).collect())
}

/// Refuses a range below a row that has more or fewer numbers than that of the row's name.
fn in_step(node: &Node, key: &str, count: u64) -> Result<(), Diagnostic> {
    match &node.value {
        Value::Table(entries) => entries
            .iter()
            .try_for_each(|e| in_step(&e.node, key, count)),
        Value::List(items) => items.iter().try_for_each(|n| in_step(n, key, count)),
        Value::Text(text) => {
            for piece in pieces(text).unwrap_or_default() {
                let Piece::Range(range) = piece else { continue };
                if range.count() != count {
                    let what = format!(
                        "`{}`: the range has {} numbers, that of `{key}` {count}",
                        node.path,
                        range.count()
                    );
                    return Err(node.refuse(Fault::new(what, "write as many numbers as names")));
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

#[derive(Copy, Clone)]
enum Piece<'a> {
    Plain(&'a str),
    Range(Range),
}

/// The text between ranges, and the ranges; none where a brace belongs to no range.
fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let close = open + rest[open..].find('}')?;
        pieces.push(Piece::Plain(&rest[..open]));
        pieces.push(Piece::Range(range(&rest[open + 1..close])?));
        rest = &rest[close + 1..];
    }
    pieces.push(Piece::Plain(rest));
    (!rest.contains('}')).then_some(pieces)
}

fn range(text: &str) -> Option<Range> {
    // Longer numbers count nothing that a scenario could hold.
    const DIGITS: usize = 18;
    let (first, last) = text.split_once("..")?;
    let number = |digits: &str| {
        let whole = digits.bytes().all(|b| b.is_ascii_digit()) && digits.len() <= DIGITS;
        whole.then(|| digits.parse().ok()).flatten()
    };
    Some(Range {
        first: number(first)?,
        last: number(last)?,
        width: if first.starts_with('0') {
            first.len()
        } else {
            0
        },
    })
}

/// The text with the numbers of a step.
fn written(pieces: &[Piece<'_>], step: u64) -> String {
    let text = |piece: &Piece<'_>| match piece {
        Piece::Plain(text) => (*text).to_owned(),
        Piece::Range(range) => range.number(step),
    };
    pieces.iter().map(text).collect()
}
