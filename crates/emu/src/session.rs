//! An emulation from its first command to its end: it drives the world, looks at children and signals, and keeps what is wanted.

use backwater_scenario::{LinkLog, Observers, Resolved};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Value, json};

use crate::device;
use crate::driver::{Driver, Patience, RealNode};
use crate::fault::Fault;
use crate::live::Live;
use crate::namespace::Running;
use crate::page::LivePage;
use crate::shell::{Ended, Wishes, of_failure};
use crate::system::{self, Signals};

/// How often the driver looks at what is no packet: children, signals, the live line.
const CHECK: Span = Span::millis(20);
/// How often the live line is written.
const LIVE: Span = Span::millis(500);
/// How often logs and records are written while packets move. A packet that is due meanwhile waits: 2 ms of 200,000 packets/s
/// are some 2,000 lines, 0.2 ms.
const WRITE: Span = Span::millis(2);
/// How far sums over intervals reach.
const LONGEST: Span = Span::millis(3_600_000);

/// Signals that end an emulation when they are sent to it, and SIGCHLD, which ends a sleep.
const SIGNALS: [libc::c_int; 5] = [
    libc::SIGCHLD,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
];

/// An emulation that is over.
pub(crate) struct Ran {
    pub(crate) driver: Driver,
    code: i32,
    series: Option<Value>,
}

/// Starts the commands and drives the world until the last of them in the list ends.
pub(crate) fn run(
    mut world: World,
    places: Vec<RealNode>,
    running: &[Running],
    outside: Option<&str>,
    mut kept: Kept<'_>,
    wishes: &Wishes,
) -> Result<Ran, Fault> {
    let fail = |error: std::io::Error| Fault::system("the emulation", &error, "try again");
    let opened = Observers::open(&mut world, &wishes.keep(), LONGEST);
    let mut observers = opened.map_err(of_failure)?;
    let signals = Signals::catch(&SIGNALS).map_err(fail)?;
    let patience = match wishes.low_cpu {
        true => Patience::LOW_CPU,
        false => Patience::EXACT,
    };
    let mut driver = Driver::new(world, places, patience, &[signals.descriptor()]).map_err(fail)?;
    driver.raw = wishes.raw;
    let cpu = system::cpu_s();
    driver.real_time = system::request_real_time();
    if let Some(page) = &mut kept.page {
        page.follow(&driver.world);
    }
    for command in running {
        command.start().map_err(fail)?;
    }
    let ended = drive(
        &mut driver,
        running,
        &signals,
        (&mut kept, &mut observers),
        wishes,
    );
    system::end_real_time();
    driver.cpu_s = system::cpu_s() - cpu;
    let drops = || -> std::io::Result<u64> {
        let mut drops = 0;
        for command in running {
            drops += command.dropped()?;
        }
        if let Some(name) = outside {
            let text = std::fs::read_to_string("/proc/self/net/dev")?;
            drops += device::dropped(&text, name).unwrap_or(0);
        }
        Ok(drops)
    };
    driver.certificate.dropped = drops().map_err(fail)?;
    let code = ended;
    let done = usize::from(matches!(code, Ok(EndedBy::Command(_))));
    let left = running.iter().take(running.len() - done);
    left.for_each(Running::end);
    driver.close_devices();
    let code = code?.code();
    let observed = observers.observe(&mut driver.world, true);
    observed.map_err(of_failure)?;
    let now = driver.world.now();
    // Its packets come from outside, so that no seed gives this run again.
    let about = json!({"duration_s": now.seconds(), "version": env!("CARGO_PKG_VERSION")});
    let finished = observers.finish(&driver.world, now, &about);
    Ok(Ran {
        series: finished.map_err(of_failure)?.1,
        driver,
        code,
    })
}

/// What comes of an emulation while it runs, and what goes into it.
pub(crate) struct Kept<'a> {
    pub(crate) logs: &'a mut [LinkLog],
    pub(crate) live: Option<&'a mut Live>,
    pub(crate) page: Option<&'a mut LivePage>,
}

impl Kept<'_> {
    fn write_so_far(&mut self, observers: &mut Observers, world: &mut World) -> Result<(), Fault> {
        for log in &mut *self.logs {
            log.write_so_far(world).map_err(of_failure)?;
        }
        observers.observe(world, false).map_err(of_failure)
    }
}

/// What ended an emulation.
enum EndedBy {
    Command(i32),
    Signal(i32),
}

impl EndedBy {
    fn code(&self) -> i32 {
        match self {
            EndedBy::Command(code) => *code,
            EndedBy::Signal(signal) => 128 + signal,
        }
    }
}

fn drive(
    driver: &mut Driver,
    running: &[Running],
    signals: &Signals,
    (kept, observers): (&mut Kept<'_>, &mut Observers),
    wishes: &Wishes,
) -> Result<EndedBy, Fault> {
    let fail = |error: std::io::Error| Fault::system("the emulation", &error, "try again");
    let (mut line, mut next_check, mut write) = (Time::ZERO, Time::ZERO, Time::ZERO);
    loop {
        let told = driver.poll_once(next_check).map_err(fail)?;
        let now = driver.clock.now();
        if now >= write {
            kept.write_so_far(observers, &mut driver.world)?;
            write = now.after(WRITE);
        }
        // A signal ends a sleep, so a command that ends while nothing moves is noticed at once.
        if now < next_check && !told {
            continue;
        }
        next_check = now.after(CHECK);
        while let Some((signal, from_terminal)) = signals.next().map_err(fail)? {
            // The terminal sends Ctrl-C to the command as well, which decides what it means.
            if signal != libc::SIGCHLD && !from_terminal {
                return Ok(EndedBy::Signal(signal));
            }
        }
        if let Some(command) = running.last()
            && let Some(code) = command.ended().map_err(fail)?
        {
            return Ok(EndedBy::Command(code));
        }
        if let Some(live) = &mut kept.live {
            live.serve(&mut driver.world);
        }
        if let (Some(page), Some(every)) = (&mut kept.page, wishes.series) {
            // An interval is told when what happened in it has surely been passed on.
            let end = Time((page.rows() as u64 + 1) * every.0);
            if now >= end.after(CHECK)
                && let Some(row) = observers.row(&driver.world, page.rows())
            {
                page.note(row, end, every.seconds());
            }
            page.serve();
        }
        if now < line {
            continue;
        }
        line = now.after(LIVE);
        if wishes.live {
            let c = &driver.certificate;
            eprint!(
                "\r{:8.1} s  in {} out {} lost {} held {} ",
                now.seconds(),
                c.taken,
                c.given,
                c.modelled,
                driver.held()
            );
        }
    }
}

pub(crate) fn ended(ran: Ran, resolved: &Resolved, wishes: &Wishes) -> Ended {
    let Ran {
        mut driver,
        code,
        series,
    } = ran;
    let report = driver.world.report();
    let mut run = json!(resolved.document_so_far(&driver.world, &report));
    if let (Some(series), true) = (series, run.is_object()) {
        run["series"] = series;
    }
    let broken = driver.certificate.broken(&wishes.bounds);
    let flows: Vec<Value> = report
        .flows
        .iter()
        .filter(|flow| flow.sums.entered.packets > 0)
        .map(|flow| {
            let of = &driver.world.network().flows[flow.flow];
            json!({
                "id": of.name,
                "entered_pkts": flow.sums.entered.packets,
                "entered_B": flow.sums.entered.bytes,
                "delivered_pkts": flow.sums.delivered.packets,
                "delivered_B": flow.sums.delivered.bytes,
                "dropped_pkts": flow.sums.dropped.packets,
            })
        })
        .collect();
    Ended {
        code,
        document: json!({
            "exit_code": code,
            "duration_s": driver.world.now().seconds(),
            "conservation": {"entered_pkts": report.entered, "delivered_pkts": report.delivered,
                "dropped_pkts": report.dropped, "held_pkts": report.held, "ok": report.conserved},
            "flows": flows,
            "certificate": driver.certificate.document(&wishes.bounds),
            "cost": {"cpu_s": driver.cpu_s, "wall_s": driver.clock.now().seconds()},
            "run": run,
        }),
        broken,
    }
}
