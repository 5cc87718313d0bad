//! The table of congestion controllers. A controller is one file or folder here and one row of
//! `CONTROLLERS`; what several controllers share is in `building_blocks`.

use crate::congestion_header::Layout;
use crate::forecast::Forecaster;
use crate::part::{Part, Refusal};
use crate::random::Random;
use crate::segment::{Ecn, Signal};
use crate::units::Time;
use crate::walk::Walk;

pub use crate::controller_interface::*;

mod agent;
mod script;

impl AnyController {
    /// A warning of a custom controller for the report of a run.
    pub fn warning(&self) -> Option<String> {
        match self {
            AnyController::Custom(c) => c.warning(),
            _ => None,
        }
    }

    /// The fault of a custom controller, which ends its run.
    pub fn fault(&self) -> Option<&Refusal> {
        match self {
            AnyController::Custom(c) => c.fault(),
            _ => None,
        }
    }

    /// The controller as one that is driven from outside, if it is.
    pub fn driven(&self) -> Option<&Driven> {
        match self {
            AnyController::Custom(c) => c.driven(),
            _ => None,
        }
    }

    /// The same, to be told.
    pub fn driven_mut(&mut self) -> Option<&mut Driven> {
        match self {
            AnyController::Custom(c) => c.driven_mut(),
            _ => None,
        }
    }
}

/// How the table builds a controller.
pub type Build = BuildOf<AnyController>;

/// Controllers that the host language makes. A world with such a controller and no host is refused.
pub static HOSTED: &[Part<Build>] = &[script::PART
    .with_build(|args, setup| Ok(AnyController::Custom((script::PART.build)(args, setup)?)))];

/// Controllers that whoever drives the world tells what to do. A run that nobody drives refuses them.
pub static DRIVEN: &[Part<Build>] = &[agent::PART.with_build(|args, setup| {
    let made = (agent::PART.build)(args, setup)?;
    Ok(AnyController::Custom(Box::new(made)))
})];

/// One list of all controllers: the modules, the enum, its dispatch and the table.
macro_rules! controllers {
    ($($module:ident :: $type:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::parts! {
            /// Every controller.
            pub enum AnyController: Controller in Box or Custom(Box<dyn CustomController>) {
                fn on_ack(&mut self, ack: &Ack);
                fn on_congestion(&mut self, congestion: &Congestion);
                fn limits(&self) -> Limits;
                fn on_sent(&mut self, sent: &Sent) -> Departure;
                fn on_lost(&mut self, lost: &Lost);
                fn on_signal(&mut self, now: Time, signal: &Signal);
                fn on_idle(&mut self, idle: &Idle);
                fn forecaster(&self) -> Option<Forecaster>;
                fn congestion_header(&self) -> Option<Layout>;
                fn receives_notices(&self) -> bool;
                fn approach(&self) -> Option<f64>;
                fn heartbeat(&self) -> u64;
                fn on_timer(&mut self, now: Time);
                fn stream(&mut self) -> Option<&mut Random>;
                fn reduction(&self) -> Reduction;
                fn ecn(&self) -> Ecn;
                fn walk(&mut self, walk: &mut Walk, flow: &str);
                fn inspect(&self) -> Inspect;
            }
            $($module::$type),*
        }

        /// Every controller of the tables.
        pub static CONTROLLERS: &[Part<Build>] = &[
            $($module::PART.with_build(|args, setup| {
                Ok(AnyController::from(($module::PART.build)(args, setup)?))
            })),*
        ];
    };
}

controllers! {
    fixed::Fixed,
    aimd::Aimd,
    delay_triggered::DelayTriggered,
    zekalho::Zekalho,
    reno::Reno,
    newreno::NewReno,
    cubic::Cubic,
    sprout::Sprout,
    copa::Copa,
    vegas::Vegas,
    ledbat::Ledbat,
    ledbat_pp::LedbatPp,
    dctcp::Dctcp,
    westwood::Westwood,
    bbr1::Bbr1,
    bbr3::Bbr3,
    bbr3_linux::Bbr3Linux,
    prague::Prague,
    fast::Fast,
    vivace::Vivace,
    scream::Scream,
    verus::Verus,
    ewma::Ewma,
    slope::Slope,
    late::Late,
    xcp::Xcp,
    rcp::Rcp,
    acp::Acp,
    iacp::Iacp,
    abc::Abc,
    vcp::Vcp,
    qcn::Qcn,
    dcqcn::Dcqcn,
    hpcc::Hpcc,
    timely::Timely,
    nscc::Nscc,
    powertcp::PowerTcp,
    swift::Swift,
}
