//! Typed 32-bit indices into tables. Nothing in a world holds a reference. `ids` has the kinds of indices.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Index in a table, of the kind `T`.
pub struct Id<T>(pub u32, PhantomData<fn() -> T>);

impl<T> Id<T> {
    /// No element.
    pub const NONE: Id<T> = Id(u32::MAX, PhantomData);

    /// The index as an id.
    ///
    /// # Panics
    /// When it does not fit 32 bits.
    pub fn new(index: usize) -> Id<T> {
        Id(
            u32::try_from(index).expect("fewer than 2^32 elements"),
            PhantomData,
        )
    }

    /// The id with this raw value.
    pub const fn raw(value: u32) -> Id<T> {
        Id(value, PhantomData)
    }

    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it names nothing.
    pub fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// An element of a table, and the kind of its indices.
pub trait Row {
    /// The kind.
    type Kind;
}

/// A list addressed by typed indices.
#[derive(Clone, Debug)]
pub struct Table<T>(pub Vec<T>);

impl<T: Row> Table<T> {
    /// Adds an element and gives its index.
    pub fn push(&mut self, element: T) -> Id<T::Kind> {
        self.0.push(element);
        Id::new(self.0.len() - 1)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ids in order.
    pub fn ids(&self) -> impl Iterator<Item = Id<T::Kind>> + use<T> {
        (0..self.0.len()).map(Id::new)
    }

    /// The elements in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table(Vec::new())
    }
}
impl<T: Row> Index<Id<T::Kind>> for Table<T> {
    type Output = T;
    fn index(&self, id: Id<T::Kind>) -> &T {
        &self.0[id.index()]
    }
}
impl<T: Row> IndexMut<Id<T::Kind>> for Table<T> {
    fn index_mut(&mut self, id: Id<T::Kind>) -> &mut T {
        &mut self.0[id.index()]
    }
}
