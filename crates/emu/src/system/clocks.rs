//! Clocks of the system.

use super::processes::own_pid;

/// Nanoseconds of the monotonic clock.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a timespec that the call may write; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps.
#[expect(clippy::disallowed_methods, reason = "this crate waits for the system")]
pub fn nap_ms(ms: u64) {
    std::thread::sleep(std::time::Duration::from_millis(ms));
}

/// Sleeps until the monotonic clock shows this.
pub fn sleep_until_ns(until_ns: u64) {
    let moment = libc::timespec {
        tv_sec: (until_ns / 1_000_000_000) as _,
        tv_nsec: (until_ns % 1_000_000_000) as _,
    };
    // SAFETY: the moment outlives the call, which may end early: the caller looks at the clock.
    unsafe {
        let flags = libc::TIMER_ABSTIME;
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, flags, &moment, std::ptr::null_mut());
    }
}

/// Milliseconds since 1970, for the headers of logs.
pub fn unix_ms() -> u64 {
    realtime_ns() / 1_000_000
}

/// Nanoseconds since 1970.
pub fn realtime_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: as above.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// A number that no other process of this machine uses at the moment.
pub fn unique() -> String {
    // In a namespace of processes the number of the process says little.
    format!("{}-{}", own_pid(), monotonic_ns())
}

/// CPU seconds of this process so far.
pub fn cpu_s() -> f64 {
    spent_s(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU seconds of this thread so far.
pub fn thread_cpu_s() -> f64 {
    spent_s(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn spent_s(clock: libc::clockid_t) -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: as above.
    unsafe { libc::clock_gettime(clock, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Which machine this is, since its start: two processes with one number have one monotonic clock.
pub fn boot() -> [u8; 16] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut bytes = [0; 16];
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (pair[0] << 4 | pair[1]) as u8;
    }
    bytes
}
