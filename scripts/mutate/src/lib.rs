//! Writes every mutation of Rust sources into one copy of them, of which the crate `mutant` chooses one when a test
//! starts. So one build serves all mutants.

mod edits;
mod site;
mod swaps;
mod visit;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syn::visit::Visit;

pub use visit::Mutant;

/// A file with all its mutants.
#[derive(Debug)]
pub struct Mutated {
    pub text: String,
    pub mutants: Vec<Mutant>,
    /// Where the text of a mutant stands; not every mutant has one.
    pub places: BTreeMap<u32, Range<usize>>,
    /// Where a site stands.
    pub sites: BTreeMap<u32, Range<usize>>,
    /// The number of the first mutant of the next file.
    pub end: u32,
}

/// Writes the mutants of a file, numbered from `first`, into it, without the dropped ones.
///
/// # Errors
/// The text is not Rust.
pub fn mutated(source: &str, first: u32, dropped: &BTreeSet<u32>) -> syn::Result<Mutated> {
    let file = syn::parse_file(source)?;
    let mut rewriter = visit::Rewriter::new(source, dropped, first);
    rewriter.visit_file(&file);
    let end = rewriter.end();
    let written = rewriter.edits.apply(source);
    Ok(Mutated {
        text: written.text,
        mutants: rewriter.mutants,
        places: written.mutants,
        sites: written.sites,
        end,
    })
}

/// Names of modules in files of their own that only tests have.
///
/// # Errors
/// The text is not Rust.
pub fn test_modules(source: &str) -> syn::Result<Vec<String>> {
    let file = syn::parse_file(source)?;
    let found = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() && walk::for_tests(&module.attrs) => {
            Some(module.ident.to_string())
        }
        _ => None,
    });
    Ok(found.collect())
}
