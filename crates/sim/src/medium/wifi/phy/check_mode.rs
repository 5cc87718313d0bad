//! Refuses modes that their standards lack.

use super::mode::Mode;

/// Why there is no such mode, and what there is instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMode {
    /// Which option is wrong.
    pub option: &'static str,
    /// The problem.
    pub what: String,
    /// The remedy.
    pub fix: String,
}

/// Alternatives, as a remedy lists them.
fn listed(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join(", ")
}

impl Mode {
    /// The same mode, if its standard has it.
    pub fn checked(self) -> Result<Mode, NoMode> {
        let name = self.format.name();
        let no = |option, what: String, fix: String| Err(NoMode { option, what, fix });
        let widths = self.format.widths();
        if !widths.iter().any(|(width, _)| *width == self.width) {
            let what = format!("{name} has no channel of {} MHz", self.width);
            let all = widths.iter().map(|(width, _)| width.to_string());
            return no("width", what, format!("write one of {} MHz", listed(all)));
        }
        if self.mcs > self.format.highest() {
            let what = format!("{name} has no MCS {}", self.mcs);
            let fix = format!("write an MCS from 0 to {}", self.format.highest());
            return no("mcs", what, fix);
        }
        if !(1..=self.format.streams()).contains(&self.streams) {
            let what = format!("{name} has no {} spatial streams", self.streams);
            let fix = format!("write from 1 to {} streams", self.format.streams());
            return no("streams", what, fix);
        }
        if !self.format.guards().contains(&self.guard) {
            let what = format!("{name} has no guard interval of {}", self.guard.name());
            let all = self.format.guards().iter().map(|g| g.name().to_owned());
            return no("guard", what, format!("write one of {}", listed(all)));
        }
        if !self.format.codings().contains(&self.coding) {
            let what = format!("{name} is computed with LDPC only");
            return no("coding", what, "write coding = \"LDPC\"".to_owned());
        }
        if self.is_excluded() {
            let what = format!(
                "802.11ac excludes MCS {} with {} spatial streams at {} MHz",
                self.mcs, self.streams, self.width
            );
            let legal = |mcs: &u8| !Mode { mcs: *mcs, ..self }.is_excluded();
            let below = (0..self.mcs).rev().find(legal).expect("MCS 0 is legal");
            return no("mcs", what, format!("write MCS {below}"));
        }
        Ok(self)
    }
}
