//! Rows that another crate adds to a table of parts. A table of the engine is a fixed list; behind it stand the rows that
//! the program added before anybody read the table. The first reading closes it, so every scenario of a process is read
//! with the same parts. The code of what was added becomes part of the engine's id.

use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::part::Part;

/// Part of a crate: its row, and the text of the files that it is made from.
#[derive(Copy, Clone, Debug)]
pub struct Addition<B: 'static> {
    /// The row.
    pub part: Part<B>,
    /// The text of its source files, such as `&[include_str!("lib.rs")]`.
    pub code: &'static [&'static str],
}

/// The rows that were added to one table.
#[derive(Debug)]
pub struct Added<B: 'static> {
    open: Mutex<Vec<Addition<B>>>,
    closed: OnceLock<Closed<B>>,
}

/// The rows, and what their code hashes to.
#[derive(Debug)]
struct Closed<B: 'static> {
    rows: Vec<Part<B>>,
    code: Vec<&'static str>,
}

/// Why a row was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAdded {
    /// Another row has one of its names.
    Taken {
        /// The name.
        name: &'static str,
    },
    /// The table has been read.
    Closed {
        /// The name of the row that came late.
        id: &'static str,
    },
    /// There is no text of its source.
    NoCode {
        /// The name of the row.
        id: &'static str,
    },
}

impl fmt::Display for NotAdded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAdded::Taken { name } => write!(
                f,
                "the part `{name}` cannot be added: the table has a part of this name; choose another name"
            ),
            NotAdded::Closed { id } => write!(
                f,
                "the part `{id}` cannot be added: the table has been read; add parts before the first scenario"
            ),
            NotAdded::NoCode { id } => write!(
                f,
                "the part `{id}` cannot be added: the text of its source is missing, which belongs to the engine's id; \
                 pass &[include_str!(\"lib.rs\")]"
            ),
        }
    }
}

impl std::error::Error for NotAdded {}

impl<B: Copy> Added<B> {
    /// Nothing was added yet.
    pub const fn new() -> Added<B> {
        Added {
            open: Mutex::new(Vec::new()),
            closed: OnceLock::new(),
        }
    }

    /// Adds a row behind those of `tables` and behind those that were added before. A row that is there already, with the
    /// same code, is not added twice.
    ///
    /// # Errors
    /// When the table has been read, one of the row's names is taken, or the text of the source is missing.
    pub fn add(&self, tables: &[&'static [Part<B>]], new: Addition<B>) -> Result<(), NotAdded> {
        let id = new.part.id;
        if new.code.iter().all(|text| text.is_empty()) {
            return Err(NotAdded::NoCode { id });
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open
            .iter()
            .any(|old| old.part.id == id && old.code == new.code)
        {
            return Ok(());
        }
        if self.closed.get().is_some() {
            return Err(NotAdded::Closed { id });
        }
        let fixed = tables.iter().flat_map(|table| table.iter());
        let taken: Vec<&str> = fixed
            .chain(open.iter().map(|old| &old.part))
            .flat_map(names)
            .collect();
        if let Some(name) = names(&new.part).find(|name| taken.contains(name)) {
            return Err(NotAdded::Taken { name });
        }
        open.push(new);
        Ok(())
    }

    /// The rows that were added. From now on none is added.
    pub fn rows(&self) -> &[Part<B>] {
        &self.close().rows
    }

    /// The text of the source files of all rows that were added. From now on none is added.
    pub fn code(&self) -> &[&'static str] {
        &self.close().code
    }

    fn close(&self) -> &Closed<B> {
        self.closed.get_or_init(|| {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            Closed {
                rows: open.iter().map(|one| one.part).collect(),
                code: open.iter().flat_map(|one| one.code).copied().collect(),
            }
        })
    }
}

impl<B: Copy> Default for Added<B> {
    fn default() -> Self {
        Added::new()
    }
}

/// All names of a row.
fn names<B>(part: &Part<B>) -> impl Iterator<Item = &'static str> + use<B> {
    part.aliases.iter().copied().chain([part.id])
}

#[cfg(test)]
mod tests {
    use super::*;

    static OWN: &[Part<u8>] = &[row("own", &["mine"])];

    const fn row(id: &'static str, aliases: &'static [&'static str]) -> Part<u8> {
        Part {
            id,
            aliases,
            summary: "",
            source: "",
            options: &[],
            build: 0,
        }
    }

    const fn addition(id: &'static str, aliases: &'static [&'static str]) -> Addition<u8> {
        Addition {
            part: row(id, aliases),
            code: &["fn new() {}"],
        }
    }

    #[test]
    fn rows_stand_in_the_order_in_which_they_were_added() {
        let added = Added::new();
        for id in ["b", "a", "b"] {
            assert_eq!(added.add(&[OWN], addition(id, &[])), Ok(()));
        }
        let ids: Vec<&str> = added.rows().iter().map(|part| part.id).collect();
        assert_eq!(ids, ["b", "a"]);
        assert_eq!(added.code().len(), 2);
    }

    #[test]
    fn a_name_or_an_alias_that_is_taken_is_refused() {
        let added = Added::new();
        for (new, name) in [
            (addition("own", &[]), "own"),
            (addition("mine", &[]), "mine"),
            (addition("new", &["mine"]), "mine"),
        ] {
            assert_eq!(added.add(&[OWN], new), Err(NotAdded::Taken { name }));
        }
        assert_eq!(added.add(&[OWN], addition("new", &["newer"])), Ok(()));
        let again = Addition {
            code: &["fn other() {}"],
            ..addition("newer", &[])
        };
        let taken = NotAdded::Taken { name: "newer" };
        assert_eq!(added.add(&[OWN], again), Err(taken));
    }

    #[test]
    fn a_row_without_its_source_is_refused() {
        let added = Added::new();
        for code in [&[][..], &[""][..]] {
            let new = Addition {
                code,
                ..addition("new", &[])
            };
            assert_eq!(added.add(&[OWN], new), Err(NotAdded::NoCode { id: "new" }));
        }
    }

    /// A row that is there already may be added again at any time: two callers can prepare the same process.
    #[test]
    fn the_first_reading_closes_the_table() {
        let added = Added::new();
        assert_eq!(added.add(&[OWN], addition("early", &[])), Ok(()));
        assert_eq!(added.rows().len(), 1);
        let late = NotAdded::Closed { id: "new" };
        assert_eq!(added.add(&[OWN], addition("new", &[])), Err(late));
        assert_eq!(added.add(&[OWN], addition("early", &[])), Ok(()));
        assert_eq!(added.rows().len(), 1);
    }
}
