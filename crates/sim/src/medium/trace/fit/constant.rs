//! Estimates: the mean rate. Nothing else can be fitted.

use backwater_transport::part::Args;

use super::{Estimator, rate};

pub(super) const ESTIMATOR: Estimator = Estimator {
    id: "constant",
    fit: |recording| Args(vec![("rate", rate(recording.mean(), 1e3, 1e11))]),
};
