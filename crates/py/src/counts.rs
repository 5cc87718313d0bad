//! Genomes of a search that are long, and the draws that change them.

use std::sync::OnceLock;

use backwater_scenario as native;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple, PyType};

use crate::arrays::listed;
use crate::scenario::refuse;

/// See `backwater.search.draws`.
#[pyclass(module = "backwater._native")]
pub struct Draws(native::Draws);

#[pymethods]
impl Draws {
    #[new]
    #[pyo3(signature = (seed, *key))]
    fn new(seed: &Bound<'_, PyAny>, key: &Bound<'_, PyTuple>) -> PyResult<Draws> {
        let mut text = seed.str()?.to_string();
        for part in key {
            text.push('/');
            text.push_str(&part.str()?.to_string());
        }
        Ok(Draws(native::Draws::keyed(&text)))
    }

    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    fn below(&mut self, count: i64) -> i64 {
        (self.0.unit() * count as f64) as i64
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low + 1)
    }

    fn choice<'py>(&mut self, of: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of.get_item(self.below(of.len()? as i64))
    }
}

/// See `backwater.search.spaces.space`.
#[pyclass(module = "backwater._native", frozen, sequence)]
pub struct Counts {
    counts: native::Counts,
    hash: OnceLock<u64>,
}

impl From<native::Counts> for Counts {
    fn from(counts: native::Counts) -> Counts {
        let hash = OnceLock::new();
        Counts { counts, hash }
    }
}

impl Counts {
    fn every<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.counts.list())
    }

    /// A stretch of places that lies within all of them.
    fn inside(&self, low: usize, length: usize) -> PyResult<usize> {
        let end = low.checked_add(length);
        end.filter(|end| *end <= self.counts.list().len())
            .ok_or_else(|| PyIndexError::new_err("there are not so many places"))
    }

    fn as_long_as(&self, other: &Counts) -> PyResult<()> {
        match self.counts.list().len() == other.counts.list().len() {
            true => Ok(()),
            false => Err(PyValueError::new_err("genomes of different lengths")),
        }
    }
}

#[pymethods]
impl Counts {
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> PyResult<Counts> {
        let list: Vec<u32> = match values.extract::<PyReadonlyArray1<'_, u32>>() {
            Ok(array) => listed(&array)?,
            Err(_) => values.extract()?,
        };
        Ok(native::Counts::new(list).into())
    }

    #[staticmethod]
    fn spread(
        count: u32,
        places: usize,
        most: f64,
        least: usize,
        draws: &mut Draws,
    ) -> PyResult<Counts> {
        if least == 0 {
            return Err(PyValueError::new_err("no place cannot be halved"));
        }
        let uneven = native::Uneven { most, least };
        Ok(native::Counts::spread(count, places, uneven, &mut draws.0).into())
    }

    #[staticmethod]
    fn unpacked(text: &str) -> PyResult<Counts> {
        let list = native::unpacked(text).map_err(|d| refuse(&d))?;
        let short = list.into_iter().map(u32::try_from);
        let short: Result<Vec<u32>, _> = short.collect();
        let short = short.map_err(|_| PyValueError::new_err("a count beyond 2^32"))?;
        Ok(native::Counts::new(short).into())
    }

    fn packed(&self) -> String {
        native::pack(self.counts.list().iter().map(|count| u64::from(*count)))
    }

    fn __len__(&self) -> usize {
        self.counts.list().len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.every(py)?.as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.every(py)?.try_iter()
    }

    fn __eq__(&self, other: &Counts) -> bool {
        self.counts == other.counts
    }

    fn __lt__(&self, other: &Counts) -> bool {
        self.counts < other.counts
    }

    fn __hash__(&self) -> u64 {
        *self.hash.get_or_init(|| self.counts.hash())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyTuple>,))> {
        Ok((py.get_type::<Counts>(), (self.every(py)?,)))
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = copy;
        let numbers = self.counts.list().iter().map(|count| i64::from(*count));
        let array = numbers.collect::<Vec<i64>>().into_pyarray(py).into_any();
        match dtype {
            None => Ok(array),
            Some(dtype) => array.call_method1("astype", (dtype,)),
        }
    }

    fn sum(&self, low: usize, length: usize) -> PyResult<u64> {
        Ok(self.counts.sum(low, self.inside(low, length)?))
    }

    fn variation(&self) -> (usize, u64) {
        self.counts.variation()
    }

    fn with_part(&self, low: usize, part: &Counts) -> PyResult<Counts> {
        let part = part.counts.list();
        self.inside(low, part.len())?;
        Ok(self.counts.with(low, part).into())
    }

    fn rolled(&self, low: usize, length: usize, by: usize) -> PyResult<Counts> {
        if by > length {
            return Err(PyValueError::new_err("rolled by more than all places"));
        }
        let high = self.inside(low, length)?;
        Ok(self.counts.rolled(low, high, by).into())
    }

    fn exchanged(&self, one: usize, other: usize, length: usize) -> PyResult<Counts> {
        self.inside(one.max(other), length)?;
        Ok(self.counts.exchanged(one, other, length).into())
    }

    fn repeated(&self, low: usize, length: usize) -> PyResult<Counts> {
        self.inside(low, length)?;
        Ok(self.counts.repeated(low, length).into())
    }

    fn even(&self, low: usize, length: usize) -> PyResult<Counts> {
        let high = self.inside(low, length)?;
        Ok(self.counts.even(low, high).into())
    }

    fn smooth(&self, low: usize, length: usize, half: usize) -> PyResult<Counts> {
        let high = self.inside(low, length)?;
        Ok(self.counts.smooth(low, high, half).into())
    }

    fn within(&self, lag: u64) -> Counts {
        self.counts.within(lag).into()
    }

    fn at_most(&self, most: u64) -> Counts {
        self.counts.at_most(most).into()
    }

    fn crossed(&self, other: &Counts, draws: &mut Draws) -> PyResult<Counts> {
        self.as_long_as(other)?;
        Ok(self.counts.crossed(&other.counts, &mut draws.0).into())
    }

    fn spliced(&self, other: &Counts, first: usize, last: usize) -> PyResult<Counts> {
        self.as_long_as(other)?;
        let part = other.counts.list().get(first..last);
        let part = part.ok_or_else(|| PyIndexError::new_err("there are not so many places"))?;
        Ok(self.counts.with(first, part).into())
    }

    fn ends(&self) -> Instants {
        Instants(native::Instants::Ends(self.counts.clone()))
    }

    fn evenly(&self, length: u64) -> Instants {
        Instants(native::Instants::Evenly(self.counts.clone(), length))
    }
}

/// See `backwater.search.settings`.
#[pyclass(module = "backwater._native", frozen)]
pub struct Instants(pub native::Instants);

#[pymethods]
impl Instants {
    #[new]
    fn new(instants: PyReadonlyArray1<'_, u64>) -> PyResult<Instants> {
        Ok(Instants(native::Instants::Listed(listed(&instants)?)))
    }

    #[staticmethod]
    fn filled(per_step: Vec<u64>, steps: Vec<u64>, size: u64) -> PyResult<Instants> {
        if size == 0 {
            return Err(PyValueError::new_err("nothing comes together"));
        }
        Ok(Instants(native::Instants::Filled {
            per_step,
            steps,
            size,
        }))
    }

    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.0.list().into_pyarray(py)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyType>, (Bound<'py, PyArray1<u64>>,)) {
        (py.get_type::<Instants>(), (self.array(py),))
    }
}
