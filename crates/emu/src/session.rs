//! An emulation from its first command to its end: it drives the world, looks at children and signals, and keeps what is wanted.

use backwater_scenario::{LinkLog, Observers, Resolved};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Value, json};

use crate::certificate::Bounds;
use crate::device;
use crate::driver::{Driver, Patience, RealNode};
use crate::fault::Fault;
use crate::join::Joins;
use crate::live::Live;
use crate::namespace::Running;
use crate::page::LivePage;
use crate::recorder::{Recorded, Recorder};
use crate::sent::{Sent, SentCapture};
use crate::shell::{Ended, Wishes, of_failure};
use crate::slow;
use crate::system::{self, Signals};

/// How often the driver looks at what is no packet: children, signals, the live line.
const CHECK: Span = Span::millis(20);
/// How often the live line is written.
const LIVE: Span = Span::millis(500);
/// How often logs and records are handed over while packets move.
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
    recording: Value,
    low_cpu: bool,
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
    let signals = Signals::catch(&SIGNALS).map_err(fail)?;
    let mut recorder = start(&mut world, &places, &mut kept, wishes)?;
    let low_cpu = wishes.low_cpu.unwrap_or_else(|| {
        let may_sleep = wishes.bounds.late_p99_s >= Bounds::default().late_p99_s;
        may_sleep && wishes.control.is_none() && slow::is_slow(&world, &places)
    });
    let patience = match low_cpu {
        true => Patience::LOW_CPU,
        false => Patience::EXACT,
    };
    let mut driver = Driver::new(world, places, patience, &[signals.descriptor()]).map_err(fail)?;
    driver.raw = wishes.raw;
    driver.joins = joins(&driver, wishes).map_err(fail)?;
    let cpu = system::cpu_s();
    driver.certificate.real_time = system::request_real_time();
    driver.sent = wishes.pcap.as_ref().map(|_| Sent::default());
    for command in running {
        command.start().map_err(fail)?;
    }
    let ended = drive(
        &mut driver,
        running,
        &signals,
        (&mut kept, &mut recorder),
        wishes,
    );
    system::end_real_time();
    driver.cpu_s = system::cpu_s() - cpu;
    driver.certificate.dropped = drops(running, outside).map_err(fail)?;
    let code = ended;
    let done = usize::from(matches!(code, Ok(EndedBy::Command(_))));
    let left = running.iter().take(running.len() - done);
    left.for_each(Running::end);
    driver.close_devices();
    let (series, recording) = match recorder {
        Some(recorder) => finish(recorder, &mut driver)?,
        None => (None, Value::Null),
    };
    Ok(Ran {
        code: code?.code(),
        driver,
        low_cpu,
        series,
        recording,
    })
}

/// Which packets leave joined: those whose super-packets the kernel takes, which is one kernel for all devices.
fn joins(driver: &Driver, wishes: &Wishes) -> std::io::Result<Joins> {
    match driver.places.first() {
        Some(place) if !wishes.no_offload => device::exchange_supers(&place.device),
        _ => Ok(Joins::default()),
    }
}

/// Starts to keep what is wanted, after the signals are caught; none where nothing is.
fn start(
    world: &mut World,
    places: &[RealNode],
    kept: &mut Kept<'_>,
    wishes: &Wishes,
) -> Result<Option<Recorder>, Fault> {
    let (logs, page) = (std::mem::take(&mut kept.logs), kept.page.take());
    if !wishes.keeps() && logs.is_empty() {
        return Ok(None);
    }
    let built: &World = world;
    let names: Vec<&str> = places.iter().map(|place| name_of(built, place)).collect();
    let begun = system::realtime_ns();
    let open = |path| SentCapture::create(path, begun, &names);
    let capture = wishes.pcap.as_deref().map(open).transpose()?;
    let observers = Observers::open(world, &wishes.keep(), LONGEST).map_err(of_failure)?;
    let recorder = Recorder::start(world, (observers, logs), capture, page, wishes.series);
    Ok(Some(recorder))
}

/// Packets that devices dropped because they were not read in time.
fn drops(running: &[Running], outside: Option<&str>) -> std::io::Result<u64> {
    let mut drops = 0;
    for command in running {
        drops += command.dropped()?;
    }
    if let Some(name) = outside {
        let text = std::fs::read_to_string("/proc/self/net/dev")?;
        drops += device::dropped(&text, name).unwrap_or(0);
    }
    Ok(drops)
}

/// Has the rest written. Gives the series, and what the record lacks.
fn finish(mut recorder: Recorder, driver: &mut Driver) -> Result<(Option<Value>, Value), Fault> {
    // Where the thread has failed this tells nothing new, and `finish` gives its reason.
    let _ = recorder.hand(driver, true);
    let Recorded {
        observers,
        lost,
        cpu_s,
    } = recorder.finish()?;
    let now = driver.world.now();
    // Its packets come from outside, so that no seed gives this run again.
    let about = json!({"duration_s": now.seconds(), "version": env!("CARGO_PKG_VERSION")});
    let finished = observers.finish(&driver.world, now, &about);
    let series = finished.map_err(of_failure)?.1;
    Ok((series, json!({"lost_events": lost, "cpu_s": cpu_s})))
}

/// The outputs of an emulation while it runs, and its inputs.
pub(crate) struct Kept<'a> {
    pub(crate) logs: Vec<LinkLog>,
    pub(crate) live: Option<&'a mut Live>,
    pub(crate) page: Option<LivePage>,
}

/// The node of a program.
fn name_of<'a>(world: &'a World, place: &RealNode) -> &'a str {
    &world.network().nodes[place.node].name
}

/// The reason why an emulation ended.
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
    (kept, recorder): (&mut Kept<'_>, &mut Option<Recorder>),
    wishes: &Wishes,
) -> Result<EndedBy, Fault> {
    let fail = |error: std::io::Error| Fault::system("the emulation", &error, "try again");
    let (mut line, mut next_check, mut write) = (Time::ZERO, Time::ZERO, Time::ZERO);
    loop {
        let told = driver.poll_once(next_check).map_err(fail)?;
        let now = driver.clock.now();
        if now >= write {
            if let Some(recorder) = recorder {
                recorder.hand(driver, false)?;
            }
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
        recording,
        low_cpu,
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
            "cost": {"cpu_s": driver.cpu_s, "wall_s": driver.clock.now().seconds(), "low_cpu": low_cpu},
            "recording": recording,
            "run": run,
        }),
        broken,
    }
}
