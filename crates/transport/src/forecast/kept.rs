//! Tables of the processes that were asked for last. They take some 25 ms to compute and depend on the
//! constants alone, so forecasters with equal constants share them, also across runs.

use std::sync::{Arc, Mutex, PoisonError};

use super::process::{Process, Tables};

/// Processes whose tables stay in memory: some megabytes each.
const KEPT: usize = 4;

/// Processes and their tables, those asked for last first.
struct Kept(Vec<(Process, Arc<Tables>)>);

static TABLES: Mutex<Kept> = Mutex::new(Kept(Vec::new()));

/// The tables of a process, computed where they are not among those asked for last.
pub(super) fn tables(process: &Process) -> Arc<Tables> {
    let mut kept = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    kept.tables(process)
}

impl Kept {
    fn tables(&mut self, process: &Process) -> Arc<Tables> {
        let found = self.0.iter().position(|(asked, _)| asked == process);
        let entry = match found {
            Some(at) => self.0.remove(at),
            None => (process.clone(), Arc::new(process.tables())),
        };
        self.0.truncate(KEPT - 1);
        let tables = entry.1.clone();
        self.0.insert(0, entry);
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn process(most: f64) -> Process {
        Process {
            most,
            bins: 16,
            tick: Span(20_000_000),
            sigma: 200.0,
            escape: 1.0,
            counts: 8,
            quantile: 0.05,
            tabulated: false,
        }
    }

    #[test]
    fn equal_constants_share_tables_until_others_were_asked_for() {
        let mut kept = Kept(Vec::new());
        let first = kept.tables(&process(1000.0));
        let other = kept.tables(&process(2000.0));
        assert!(Arc::ptr_eq(&first, &kept.tables(&process(1000.0))));
        assert!(!Arc::ptr_eq(&first, &other));
        let alone = process(2000.0).tables();
        assert_eq!(format!("{other:?}"), format!("{alone:?}"));
        for at in 0..KEPT {
            kept.tables(&process(3000.0 + at as f64));
        }
        assert_eq!(kept.0.len(), KEPT);
        assert!(!Arc::ptr_eq(&first, &kept.tables(&process(1000.0))));
    }
}
