//! The engine in a browser. A page writes a request into memory that `reserve` gives, opens it, serves its events in
//! slices, and reads what was recorded as arrays. Numbers of the ABI are 32-bit; texts are UTF-8.
//!
//! A request is JSON: `{"text": scenario, "form": "toml" | "json", "name": text, "seed": number or null,
//! "set": [[path, value], ...], "files": {name: content}, "every": "100 ms" or null}`.
//!
//! | export | gives |
//! |---|---|
//! | `reserve(n)` | where the page writes a request of n bytes |
//! | `open()` | 0, and the answer is the resolved scenario; or 1, and the answer is the refusal |
//! | `step(events)` | 0 while the run goes on, 1 at its end, 2 after a failure, which the answer names |
//! | `rows()`, `column(i)` | how many events the last step recorded, and where column i of them lies |
//! | `now_share()` | simulated time reached, as a share of the whole, in 2^-16 |
//! | `series()` | 0, and the answer is the series up to the present; or 1 without a run or without series |
//! | `finish()` | 0, and the answer is the document of the run; or 1, and the answer is the failure |
//! | `answer()`, `answer_len()` | where the last answer lies, and its length |
//!
//! After a panic the instance must not be used again; the answer then holds the message.

mod session;

use std::cell::RefCell;

use session::{Session, Slice};

/// All that outlives a call.
#[derive(Default)]
struct State {
    request: Vec<u8>,
    answer: Vec<u8>,
    session: Option<Session>,
    slice: Slice,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(call: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(call)
}

/// Room for a request of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: u32) -> *mut u8 {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string().into_bytes();
        STATE.with(|state| {
            if let Ok(mut state) = state.try_borrow_mut() {
                state.answer = message;
            }
        });
    }));
    with(|state| {
        state.request = vec![0; bytes as usize];
        state.request.as_mut_ptr()
    })
}

/// Reads the request, resolves its scenario and builds the world: 0 and the resolved scenario, or 1 and the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> u32 {
    let request = with(|state| {
        state.session = None;
        state.slice = Slice::default();
        std::mem::take(&mut state.request)
    });
    // The world is built outside of the borrow, so that the message of a panic finds its place.
    let opened = Session::open(&request);
    with(|state| match opened {
        Ok((session, answer)) => {
            state.session = Some(session);
            state.answer = answer.into_bytes();
            0
        }
        Err(refusal) => {
            state.answer = refusal.into_bytes();
            1
        }
    })
}

/// Serves about this many events: 0 while the run goes on, 1 at its end, 2 after a failure or without a run.
#[unsafe(no_mangle)]
pub extern "C" fn step(events: u32) -> u32 {
    let Some(mut session) = with(|state| state.session.take()) else {
        return 2;
    };
    let stepped = session.step(u64::from(events));
    with(|state| match stepped {
        Ok((done, slice)) => {
            state.session = Some(session);
            state.slice = slice;
            u32::from(done)
        }
        Err(failure) => {
            state.answer = failure.into_bytes();
            2
        }
    })
}

/// Events that the last step recorded.
#[unsafe(no_mangle)]
pub extern "C" fn rows() -> u32 {
    with(|state| state.slice.rows())
}

/// Where a column of them lies: 0 time in s (f64), 1 number of `what` (u8), 2 port (u32), 3 flow (u32), 4 number within the flow (f64),
/// 5 value (f64), 6 bytes of the frame (u32). Null for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn column(number: u32) -> *const u8 {
    with(|state| state.slice.column(number))
}

/// Simulated time reached: 65536 is the end.
#[unsafe(no_mangle)]
pub extern "C" fn now_share() -> u32 {
    with(|state| state.session.as_ref().map_or(0, Session::share))
}

/// The series up to the present: 0 and their text, or 1 without a run or without series.
#[unsafe(no_mangle)]
pub extern "C" fn series() -> u32 {
    with(|state| {
        let series = state.session.as_ref().and_then(Session::series);
        let Some(series) = series else {
            return 1;
        };
        state.answer = series.into_bytes();
        0
    })
}

/// Closes the run: 0 and its document, or 1 and the failure.
#[unsafe(no_mangle)]
pub extern "C" fn finish() -> u32 {
    let Some(session) = with(|state| state.session.take()) else {
        return 1;
    };
    let finished = session.finish();
    with(|state| {
        let (code, answer) = match finished {
            Ok(document) => (0, document),
            Err(failure) => (1, failure),
        };
        state.answer = answer.into_bytes();
        code
    })
}

/// Where the last answer lies.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    with(|state| state.answer.as_ptr())
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> u32 {
    with(|state| u32::try_from(state.answer.len()).unwrap_or(u32::MAX))
}
