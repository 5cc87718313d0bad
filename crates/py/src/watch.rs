//! The limit on the time that one call of a class takes. A thread without the interpreter watches, so that a call that never
//! leaves C is found too. Only a process that runs a single case has a limit: a call that exceeds it ends the process.

use std::sync::Mutex;
use std::time::Duration;

use pyo3::prelude::*;
use serde_json::json;

use crate::fault::Whose;

/// How often the thread looks.
const LOOK: Duration = Duration::from_millis(100);

/// The calls of this process so far, and whose class is at work.
struct AtWork {
    calls: u64,
    whose: Option<Whose>,
}

static AT_WORK: Mutex<AtWork> = Mutex::new(AtWork {
    calls: 0,
    whose: None,
});

fn note(whose: Option<Whose>) {
    let mut at_work = AT_WORK.lock().expect("no holder panics");
    at_work.calls += 1;
    at_work.whose = whose;
}

/// Calls a class under the limit of the process, if it has one.
pub fn call<T>(whose: &Whose, calling: impl FnOnce() -> T) -> T {
    note(Some(whose.clone()));
    let returned = calling();
    note(None);
    returned
}

/// From now on a call that takes longer ends this process, as does the end of its parent. Whose call it was is written to the
/// open file `descriptor` as a line of JSON.
#[pyfunction]
#[expect(clippy::disallowed_methods, reason = "the limit is one of real time")]
pub fn limit_calls(seconds: f64, descriptor: u32) {
    let patience = (seconds / LOOK.as_secs_f64()).ceil() as u64;
    let parent = parent();
    std::thread::spawn(move || {
        let (mut seen, mut looks) = (0, 0);
        loop {
            std::thread::sleep(LOOK);
            if parent != self::parent() {
                std::process::abort();
            }
            let at_work = AT_WORK.lock().expect("no holder panics");
            looks = if at_work.calls == seen { looks + 1 } else { 0 };
            seen = at_work.calls;
            if let Some(whose) = at_work.whose.as_ref().filter(|_| looks > patience) {
                let said = json!({"slow": whose.said.as_ref(), "place": whose.place.as_ref()});
                // The reader learns from the process's end that something is wrong, should this fail.
                let _ = std::fs::write(format!("/dev/fd/{descriptor}"), format!("{said}\n"));
                std::process::abort();
            }
        }
    });
}

/// The process that started this one; another has its place when that has ended.
#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

/// Without a way to tell, the parent ends this process.
#[cfg(not(unix))]
fn parent() -> u32 {
    0
}
