//! One row of the list of metrics.

/// One metric.
#[derive(Copy, Clone, Debug)]
pub struct Metric {
    /// Name; `<N>` stands for the number of a class. Its end says the unit.
    pub id: &'static str,
    /// Whose it is. `class` has what the flows of one class have together.
    pub scopes: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// Who defined it.
    pub source: &'static str,
}

impl Metric {
    /// Unit of the value; none for shares, counts of runs and indices.
    pub fn unit(&self) -> Option<&'static str> {
        let units = [
            ("_s", "s"),
            ("_bps", "bit/s"),
            ("_B", "B"),
            ("_pkts", "packets"),
        ];
        let found = units.iter().find(|(end, _)| self.id.ends_with(end));
        found.map(|(_, unit)| *unit)
    }

    pub(super) const fn by(self, source: &'static str) -> Metric {
        Metric { source, ..self }
    }
}

pub(super) const fn metric(
    id: &'static str,
    scopes: &'static [&'static str],
    summary: &'static str,
) -> Metric {
    Metric {
        id,
        scopes,
        summary,
        source: "",
    }
}
