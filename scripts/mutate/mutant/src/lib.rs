//! Chooses one mutant when a process starts: `BACKWATER_MUTANT` is its number, 0 none. Belongs to the mutated copy
//! of the engine, never to the engine.
//!
//! With `BACKWATER_MUTANT_REACHED=FILE`, appends the number of each mutant to the file as it is reached for the first
//! time, as four bytes, the lowest first.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

const UNKNOWN: u32 = u32::MAX;
const RECORDED: u32 = u32::MAX - 1;

static ASKED: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
static FILE: OnceLock<Mutex<File>> = OnceLock::new();

/// Whether this mutant is the one that the process was started for.
#[inline]
pub fn is(id: u32) -> bool {
    let asked = ASKED.load(Ordering::Relaxed);
    asked == id || (asked >= RECORDED && read(id))
}

#[cold]
fn read(id: u32) -> bool {
    if ASKED.load(Ordering::Relaxed) == UNKNOWN {
        let asked = match std::env::var("BACKWATER_MUTANT") {
            _ if recorded() => RECORDED,
            Ok(words) => words.parse().expect("BACKWATER_MUTANT is a number"),
            Err(_) => 0,
        };
        ASKED.store(asked, Ordering::Relaxed);
        return is(id);
    }
    if !REACHED[id as usize].swap(true, Ordering::Relaxed) {
        let mut file = FILE.get().expect("opened before").lock().expect("no holder panics");
        file.write_all(&id.to_le_bytes()).expect("the file can be written");
    }
    false
}

/// Opens the file of what is reached, if there is to be one.
fn recorded() -> bool {
    let Ok(path) = std::env::var("BACKWATER_MUTANT_REACHED") else {
        return false;
    };
    FILE.get_or_init(|| {
        let opened = OpenOptions::new().create(true).append(true).open(path);
        Mutex::new(opened.expect("the file can be opened"))
    });
    true
}

/// A number of which five times as much, and half, can be taken.
pub trait Scale {
    fn more(self) -> Self;
    fn less(self) -> Self;
}

macro_rules! whole {
    ($($Name:ident)*) => {$(
        impl Scale for $Name {
            fn more(self) -> Self {
                self.saturating_mul(5)
            }
            fn less(self) -> Self {
                self / 2
            }
        }
    )*};
}

whole!(u8 u16 u32 u64 u128 usize i32 i64);

impl Scale for f64 {
    fn more(self) -> f64 {
        self * 5.0
    }
    fn less(self) -> f64 {
        self / 2.0
    }
}

/// Makes the units of the engine scale as their numbers do.
#[macro_export]
macro_rules! scale {
    ($($Name:ident)*) => {$(
        impl $crate::Scale for $Name {
            fn more(self) -> Self {
                $Name($crate::Scale::more(self.0))
            }
            fn less(self) -> Self {
                $Name($crate::Scale::less(self.0))
            }
        }
    )*};
}

/// Five times as much under this mutant.
#[inline]
pub fn more<T: Scale>(id: u32, value: T) -> T {
    if is(id) { value.more() } else { value }
}

/// Half under this mutant.
#[inline]
pub fn less<T: Scale>(id: u32, value: T) -> T {
    if is(id) { value.less() } else { value }
}
