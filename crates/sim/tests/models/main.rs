//! Parts of the engine beside a second computation of the same thing: short, plain and written for the test alone.

mod cellular;
mod fit;
mod record;
mod traces;
