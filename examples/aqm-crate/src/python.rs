//! The engine with the queue, as the module `backwater_avq.engine`.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

#[pymodule]
fn engine(m: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::register().map_err(|error| PyImportError::new_err(error.to_string()))?;
    binding::fill(m)
}
