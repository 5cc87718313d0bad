//! Arrays of NumPy as Rust reads them. NumPy lets elements lie at any address, as in a view of bytes that came over a
//! wire; a view of Rust may not.

use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A copy of the elements, wherever they lie.
///
/// # Errors
/// NumPy has no memory for a copy.
pub fn listed<T: Element + Copy>(values: &PyReadonlyArray1<'_, T>) -> PyResult<Vec<T>> {
    if is_aligned(values) {
        return Ok(values.as_array().to_vec());
    }
    let copy: PyReadonlyArray1<'_, T> = values.call_method0("copy")?.extract()?;
    Ok(copy.as_array().to_vec())
}

fn is_aligned<T: Element>(values: &Bound<'_, PyArray1<T>>) -> bool {
    let whole = |step: &isize| step.unsigned_abs().is_multiple_of(align_of::<T>());
    values.data().is_aligned() && values.strides().iter().all(whole)
}
