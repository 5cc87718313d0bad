//! Estimates: the mean rate. Nothing else can be fitted.

use backwater_transport::part::Args;

use super::{Estimator, Found, rate};

pub(super) const ESTIMATOR: Estimator = Estimator {
    id: "constant",
    fit: |recording| Found::sure(Args(vec![("rate", rate(recording.mean(), 1e3, 1e11))])),
};
