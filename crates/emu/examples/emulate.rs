//! `cargo run --example emulate -- delay 20 -- COMMAND`: the emulator without Python; prints its document on stderr.

use std::process::ExitCode;

use backwater_emu::shell::{self, Wishes};

#[allow(clippy::disallowed_methods, reason = "this is the edge")]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wishes = Wishes {
        environment: std::env::vars().collect(),
        command_line: words.join(" "),
        ..Wishes::default()
    };
    match shell::boxes(&words, &wishes) {
        Ok(ended) => {
            eprintln!("{}", ended.document);
            ExitCode::from(ended.code as u8)
        }
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(2)
        }
    }
}
