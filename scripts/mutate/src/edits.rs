//! Changes of one file's text, and where each mutant lies in the changed text.

use std::collections::BTreeMap;
use std::ops::Range;

/// A part of a change.
#[derive(Clone, Debug)]
pub enum Piece {
    /// To be written as it stands.
    Text(String),
    /// From here on the text is this mutant's alone.
    MutantOpens(u32),
    MutantCloses(u32),
    /// From here on the text is changed for the mutants of this site.
    SiteOpens(u32),
    SiteCloses(u32),
}

/// Text as a piece.
pub fn text(words: impl Into<String>) -> Piece {
    Piece::Text(words.into())
}

/// The text in the stead of `place`, which may be empty.
#[derive(Debug)]
struct Edit {
    place: Range<usize>,
    pieces: Vec<Piece>,
}

/// The changes of one file. At one place, the earlier call comes first.
#[derive(Debug, Default)]
pub struct Edits(Vec<Edit>);

/// A changed file and the places in it, in bytes.
#[derive(Debug, Default)]
pub struct Written {
    pub text: String,
    pub mutants: BTreeMap<u32, Range<usize>>,
    pub sites: BTreeMap<u32, Range<usize>>,
}

impl Edits {
    pub fn replace(&mut self, place: Range<usize>, pieces: Vec<Piece>) {
        self.0.push(Edit { place, pieces });
    }

    pub fn insert(&mut self, at: usize, pieces: Vec<Piece>) {
        self.replace(at..at, pieces);
    }

    pub fn apply(mut self, original: &str) -> Written {
        self.0.sort_by_key(|edit| edit.place.start);
        let mut written = Written::default();
        let mut done = 0;
        for edit in self.0 {
            written.text += &original[done..edit.place.start];
            done = edit.place.end;
            for piece in edit.pieces {
                written.put(piece);
            }
        }
        written.text += &original[done..];
        written
    }
}

impl Written {
    fn put(&mut self, piece: Piece) {
        let at = self.text.len();
        match piece {
            Piece::Text(words) => self.text += &words,
            Piece::MutantOpens(id) => drop(self.mutants.insert(id, at..at)),
            Piece::MutantCloses(id) => close(&mut self.mutants, id, at),
            Piece::SiteOpens(id) => drop(self.sites.insert(id, at..at)),
            Piece::SiteCloses(id) => close(&mut self.sites, id, at),
        }
    }
}

fn close(places: &mut BTreeMap<u32, Range<usize>>, id: u32, at: usize) {
    if let Some(place) = places.get_mut(&id) {
        place.end = at;
    }
}
