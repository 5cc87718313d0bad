//! The controller of a flow that a file of WebAssembly is.
//!
//! Detects, tells, responds: as the file does. A fault ends its run: from then on the flow keeps one segment in flight until
//! the run is told to stop.
//!
//! Reference: docs/reference/wasm.md (backwater-cc/1). Differences: none.

use std::sync::Arc;

use backwater_transport::controller::{
    Ack, BuildOf, Congestion, Controller, CustomController, Departure, Idle, Inspect, Limits, Lost,
    MOST_SEGMENTS, Reduction, Sent, Setup,
};
use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use crate::abi::{self, Answer};
use crate::instance::{Functions, Instance, due};
use crate::{module, wrong};

/// The option that names the file.
pub const FILE: &str = "file";

/// The row.
pub const PART: Part<BuildOf<Wasm>> = Part {
    id: "wasm",
    aliases: &[],
    summary: "a file of your own, compiled to WebAssembly",
    source: "docs/reference/wasm.md",
    options: &[Opt::new(
        FILE,
        Kind::File,
        Default::Required,
        "file that exports the functions of backwater-cc/1",
    )],
    build: Wasm::new,
};

/// See the head of the file.
#[derive(Debug)]
pub struct Wasm {
    path: Arc<str>,
    instance: Instance,
    mss: u64,
    answer: Answer,
    now: Time,
    direct: bool,
    ecn: Ecn,
    /// The largest window beyond the bound that it asked for; zero for none.
    beyond: u64,
    fault: Option<Refusal>,
}

impl Wasm {
    /// A controller whose first calls may have failed: the run's random numbers reach them too.
    fn new(args: &Args, setup: &Setup) -> Result<Wasm, Refusal> {
        let file = args.file(FILE);
        let code = module::compiled(&file)?;
        let made = Instance::new(code, setup.random.clone());
        let instance = made.map_err(|why| {
            let fix = "build it anew for wasm32-unknown-unknown";
            wrong(format!("`{}`: {why}", file.path), fix)
        })?;
        let mut wasm = Wasm {
            path: file.path.into(),
            instance,
            mss: setup.mss,
            answer: Answer {
                window: setup.initial,
                pacing: None,
                wake: None,
                ssthresh: None,
            },
            now: Time::ZERO,
            direct: false,
            ecn: Ecn::NotEct,
            beyond: 0,
            fault: None,
        };
        let begun = wasm.begin(setup);
        wasm.note(begun);
        Ok(wasm)
    }

    fn begin(&mut self, setup: &Setup) -> Result<(), String> {
        let word = self.instance.begin(setup.mss, setup.initial)?;
        (self.direct, self.ecn) = abi::traits(word)
            .ok_or_else(|| format!("`traits` returned {word:#x}, which has no meaning"))?;
        self.ask()
    }

    /// Reads what it wants now.
    fn ask(&mut self) -> Result<(), String> {
        let answer = self.instance.answer()?;
        let most = MOST_SEGMENTS * self.mss;
        if answer.window > most {
            self.beyond = self.beyond.max(answer.window);
        }
        if answer.wake.is_some() && self.instance.functions.on_timer.is_none() {
            return Err("`limits` asked for a timer, but there is no `on_timer`".to_owned());
        }
        self.answer = Answer {
            // Less than a segment would stop the flow for good.
            window: answer.window.clamp(self.mss, most),
            ..answer
        };
        Ok(())
    }

    fn note(&mut self, done: Result<(), String>) {
        if let Err(why) = done {
            let fix = "correct the controller and build it anew; its run has ended";
            self.fault = Some(wrong(format!("`{}`: {why}", self.path), fix));
        }
    }

    /// Calls a function, if the file has it, and reads what it wants then.
    fn tell(
        &mut self,
        name: &str,
        function: impl FnOnce(&Functions) -> Option<wasmi::TypedFunc<u32, ()>>,
        words: &[u64],
    ) {
        if self.fault.is_some() {
            return;
        }
        let Some(function) = function(&self.instance.functions) else {
            return;
        };
        let told = self.instance.tell(name, function, words);
        let done = told.and_then(|()| self.ask());
        self.note(done.map_err(|why| format!("at {} s: {why}", self.now.seconds())));
    }
}

impl Controller for Wasm {
    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        self.tell("on_ack", |f| Some(f.on_ack), &abi::ack(ack));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
        self.tell(
            "on_congestion",
            |f| f.on_congestion,
            &abi::congestion(congestion),
        );
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        if self.instance.functions.on_sent.is_none() {
            return Departure::Ignored;
        }
        self.now = sent.now;
        self.tell("on_sent", |f| f.on_sent, &abi::sent(sent));
        Departure::Noted
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        self.tell("on_lost", |f| f.on_lost, &abi::lost(lost));
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.now = idle.now;
        self.tell("on_idle", |f| f.on_idle, &abi::idle(idle));
    }

    fn on_timer(&mut self, now: Time) {
        self.now = now;
        self.tell("on_timer", |f| f.on_timer, &[now.0]);
    }

    fn limits(&self) -> Limits {
        if self.fault.is_some() {
            return Limits::of(self.mss);
        }
        Limits {
            window: self.answer.window,
            pacing: self.answer.pacing,
            wake: due(self.answer.wake, self.now),
        }
    }

    fn stream(&mut self) -> Option<&mut Random> {
        self.instance.stream()
    }

    fn reduction(&self) -> Reduction {
        match self.direct {
            true => Reduction::Direct,
            false => Reduction::Proportional,
        }
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: self.answer.ssthresh,
            state: "wasm",
            ..Inspect::default()
        }
    }
}

impl CustomController for Wasm {
    fn fork(&self) -> Box<dyn CustomController> {
        let copied = self.instance.copy();
        let instance = copied.unwrap_or_else(|why| panic!("no room for a copy: {why}"));
        Box::new(Wasm {
            path: self.path.clone(),
            instance,
            fault: self.fault.clone(),
            ..*self
        })
    }

    fn warning(&self) -> Option<String> {
        (self.beyond > 0).then(|| {
            format!(
                "its controller asked for a window of {} B, which counted as {} B: a window ends at {MOST_SEGMENTS} segments",
                self.beyond,
                MOST_SEGMENTS * self.mss
            )
        })
    }

    fn fault(&self) -> Option<&Refusal> {
        self.fault.as_ref()
    }
}
