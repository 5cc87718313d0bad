//! One controller at work: its memory and globals. A copy of it has a memory of its own.

use std::fmt;
use std::sync::Arc;

use backwater_transport::random::Random;
use backwater_transport::units::Time;
use wasmi::{
    Caller, Error, Global, Instance as Raw, Linker, Memory, Store, StoreLimits, StoreLimitsBuilder,
    TrapCode, TypedFunc,
};

use crate::abi::{ANSWER, Answer, BUFFER, VERSION, WORD};
use crate::module::{Code, FUEL, IMPORT, MEMORY, PAGES, START};

/// Bytes of memory that are compared, and copied where they differ, at a time.
const BLOCK: usize = 4096;

/// The state behind the functions of a controller.
struct Host {
    random: Random,
    limits: StoreLimits,
}

/// A function that is told something at the buffer.
type Told = TypedFunc<u32, ()>;

/// The functions that events call.
#[derive(Copy, Clone, Debug)]
pub struct Functions {
    /// For each acknowledgement.
    pub on_ack: Told,
    /// For congestion.
    pub on_congestion: Option<Told>,
    /// For each departure.
    pub on_sent: Option<Told>,
    /// For each loss.
    pub on_lost: Option<Told>,
    /// For a restart after an idle time.
    pub on_idle: Option<Told>,
    /// For an instant that it asked for.
    pub on_timer: Option<Told>,
    limits: Told,
}

/// See the head of the file.
pub struct Instance {
    code: Arc<Code>,
    store: Store<Host>,
    raw: Raw,
    memory: Memory,
    globals: Vec<Global>,
    buffer: usize,
    /// The functions.
    pub functions: Functions,
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("buffer", &self.buffer)
            .finish_non_exhaustive()
    }
}

/// Why a call failed, in words.
fn explained(function: &str, error: &Error) -> String {
    match error.as_trap_code() {
        Some(TrapCode::OutOfFuel) => {
            format!("`{function}` took more than {FUEL} instructions")
        }
        Some(TrapCode::GrowthOperationLimited) => {
            format!("`{function}` wanted more memory than {} KiB", PAGES * 64)
        }
        Some(_) => format!("`{function}` trapped: {error}"),
        None => format!("`{function}` failed: {error}"),
    }
}

impl Instance {
    /// An instance of which no function was called yet.
    ///
    /// # Errors
    /// Data that lie outside of the memory.
    pub fn new(code: Arc<Code>, random: Random) -> Result<Instance, String> {
        let limits = StoreLimitsBuilder::new()
            .memory_size((PAGES as usize) << 16)
            .trap_on_grow_failure(true)
            .build();
        let mut store = Store::new(&code.engine, Host { random, limits });
        store.limiter(|host| &mut host.limits);
        let mut linker = Linker::new(&code.engine);
        let draw = |mut caller: Caller<'_, Host>| caller.data_mut().random.between(0, u64::MAX);
        let linked = linker.func_wrap(IMPORT.0, IMPORT.1, draw);
        linked.map_err(|error| error.to_string())?;
        store.set_fuel(FUEL).map_err(|error| error.to_string())?;
        let made = linker.instantiate_and_start(&mut store, &code.module);
        let raw = made.map_err(|error| format!("it cannot be instantiated: {error}"))?;
        let told = |name: &str| raw.get_typed_func::<u32, ()>(&store, name).ok();
        let must = |name: &str| told(name).ok_or_else(|| format!("it has no `{name}`"));
        let functions = Functions {
            on_ack: must("on_ack")?,
            on_congestion: told("on_congestion"),
            on_sent: told("on_sent"),
            on_lost: told("on_lost"),
            on_idle: told("on_idle"),
            on_timer: told("on_timer"),
            limits: must("limits")?,
        };
        let memory = raw.get_memory(&store, MEMORY).ok_or("it has no memory")?;
        let found = code
            .globals
            .iter()
            .filter_map(|name| raw.get_global(&store, name));
        let globals = found.collect();
        Ok(Instance {
            code,
            store,
            raw,
            memory,
            globals,
            buffer: 0,
            functions,
        })
    }

    /// Calls the functions that come before all events. Gives what `traits` returned.
    ///
    /// # Errors
    /// When one of them breaks the interface.
    pub fn begin(&mut self, mss: u64, initial: u64) -> Result<u64, String> {
        if self.code.starts {
            self.ask::<(), ()>(START, ())
                .map_err(|error| error.replace(START, "start"))?;
        }
        let version = self.ask::<(), u32>("abi", ())?;
        if version != VERSION {
            return Err(format!(
                "`abi` returned {version}: this engine has version {VERSION} of the interface"
            ));
        }
        self.ask::<(u64, u64), ()>("new", (mss, initial))?;
        let buffer = self.ask::<(), u32>("buffer", ())?;
        self.buffer = buffer as usize;
        let size = self.memory.data(&self.store).len();
        if !self.buffer.is_multiple_of(WORD) || self.buffer + BUFFER > size {
            return Err(format!(
                "`buffer` returned {buffer}, where no {BUFFER} B lie at a multiple of {WORD} in its memory of {size} B"
            ));
        }
        self.ask::<(), u64>("traits", ())
    }

    /// Calls a function by its name.
    fn ask<A: wasmi::WasmParams, R: wasmi::WasmResults>(
        &mut self,
        name: &str,
        arguments: A,
    ) -> Result<R, String> {
        let found = self.raw.get_typed_func::<A, R>(&self.store, name);
        found
            .and_then(|function| {
                self.store.set_fuel(FUEL)?;
                function.call(&mut self.store, arguments)
            })
            .map_err(|error| explained(name, &error))
    }

    /// Tells a function the words of an event.
    ///
    /// # Errors
    /// When the function breaks the interface.
    pub fn tell(&mut self, name: &str, function: Told, words: &[u64]) -> Result<(), String> {
        let buffer = &mut self.memory.data_mut(&mut self.store)[self.buffer..][..BUFFER];
        for (bytes, word) in buffer.chunks_exact_mut(WORD).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        self.call(name, function)
    }

    fn call(&mut self, name: &str, function: Told) -> Result<(), String> {
        let fuelled = self.store.set_fuel(FUEL);
        fuelled
            .and_then(|()| function.call(&mut self.store, self.buffer as u32))
            .map_err(|error| explained(name, &error))
    }

    /// The present limits of the controller.
    ///
    /// # Errors
    /// When the function breaks the interface.
    pub fn answer(&mut self) -> Result<Answer, String> {
        self.call("limits", self.functions.limits)?;
        let words = &self.memory.data(&self.store)[self.buffer..][..ANSWER * WORD];
        Answer::read(words).map_err(|why| format!("`limits` answered wrongly: {why}"))
    }

    /// Its random stream; none where it draws nothing.
    pub fn stream(&mut self) -> Option<&mut Random> {
        self.code.draws.then(|| &mut self.store.data_mut().random)
    }

    /// A copy in the present state.
    ///
    /// # Errors
    /// No room for another memory.
    pub fn copy(&self) -> Result<Instance, String> {
        let mut copy = Instance::new(self.code.clone(), self.store.data().random.clone())?;
        copy.buffer = self.buffer;
        let more = self.memory.size(&self.store) - copy.memory.size(&copy.store);
        let grown = copy.memory.grow(&mut copy.store, more);
        grown.map_err(|error| error.to_string())?;
        let to = copy.memory.data_mut(&mut copy.store).chunks_mut(BLOCK);
        let from = self.memory.data(&self.store).chunks(BLOCK);
        for (to, from) in to.zip(from).filter(|(to, from)| to != from) {
            to.copy_from_slice(from);
        }
        for (to, from) in copy.globals.iter().zip(&self.globals) {
            let set = to.set(&mut copy.store, from.get(&self.store));
            set.map_err(|error| error.to_string())?;
        }
        Ok(copy)
    }
}

/// An instant that has passed is none.
pub fn due(wake: Option<Time>, now: Time) -> Time {
    wake.filter(|wake| *wake > now).unwrap_or(Time::NEVER)
}
