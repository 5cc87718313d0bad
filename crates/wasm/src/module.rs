//! A file as a compiled module: what the interface does not allow is refused here, with the remedy. What a copy of a world
//! has to copy is made reachable: every mutable global gets an export, and the function `start` is called once by name.

use std::sync::{Arc, Mutex, PoisonError};

use backwater_transport::part::{File, Refusal};
use wasmi::{CompilationMode, Config, Engine, ExternType, Module, ValType};
use wasmparser::{ExternalKind, Operator, Parser, Payload, TypeRef};

use crate::wrong;

/// Most bytes of a file.
pub const LARGEST_FILE: usize = 64 << 10;
/// Most pages of 64 KiB of its memory.
pub const PAGES: u64 = 16;
/// Operators that one call may take.
pub const FUEL: u64 = 50_000;
/// The one import.
pub const IMPORT: (&str, &str) = ("backwater", "random");
/// The export of memory.
pub const MEMORY: &str = "memory";
/// The name of the start function in the module that runs.
pub const START: &str = "backwater:start";
/// Calls within a call.
const DEPTH: usize = 500;
/// Files that stay compiled.
const KEPT: usize = 16;

use ValType::{I32, I64};

/// An export: its name, arguments and results, and whether a file must have it.
type Export = (&'static str, &'static [ValType], &'static [ValType], bool);

/// The functions of the interface.
const EXPORTS: [Export; 11] = [
    ("abi", &[], &[I32], true),
    ("new", &[I64, I64], &[], true),
    ("buffer", &[], &[I32], true),
    ("traits", &[], &[I64], true),
    ("limits", &[I32], &[], true),
    ("on_ack", &[I32], &[], true),
    ("on_congestion", &[I32], &[], false),
    ("on_sent", &[I32], &[], false),
    ("on_lost", &[I32], &[], false),
    ("on_idle", &[I32], &[], false),
    ("on_timer", &[I32], &[], false),
];

/// A compiled file.
#[derive(Debug)]
pub struct Code {
    /// The module, with exports of its own for what is copied.
    pub module: Module,
    /// The engine that compiled it.
    pub engine: Engine,
    /// Exports of mutable globals.
    pub globals: Vec<String>,
    /// Whether it has a start function.
    pub starts: bool,
    /// Whether it imports random numbers.
    pub draws: bool,
}

/// A content, and what it was compiled to.
type Known = (Arc<[u8]>, Arc<Code>);

/// The newest last.
static COMPILED: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The compiled file. One content is compiled once, as long as few others come between.
///
/// # Errors
/// When the file has something that the interface does not allow.
pub fn compiled(file: &File) -> Result<Arc<Code>, Refusal> {
    let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all
        .iter()
        .position(|(content, _)| Arc::ptr_eq(content, &file.content) || *content == file.content);
    let found = match known {
        Some(at) => all.remove(at),
        None => (file.content.clone(), Arc::new(Code::read(file)?)),
    };
    let code = found.1.clone();
    all.push(found);
    if all.len() > KEPT {
        all.remove(0);
    }
    Ok(code)
}

/// The parts of a file, as far as its sections say.
#[derive(Default)]
struct Parts {
    /// Index and type of mutable globals.
    globals: Vec<u32>,
    start: Option<u32>,
    /// Range of the section of exports, and how many it has.
    exports: Option<(std::ops::Range<usize>, u32)>,
    draws: bool,
}

fn config() -> Config {
    let mut config = Config::default();
    config
        .consume_fuel(true)
        .compilation_mode(CompilationMode::Eager)
        .wasm_multi_memory(false)
        .wasm_tail_call(false)
        .set_max_recursion_depth(DEPTH)
        .ignore_custom_sections(true);
    config
}

impl Code {
    fn read(file: &File) -> Result<Code, Refusal> {
        let (path, content) = (&file.path, &file.content);
        if content.len() > LARGEST_FILE {
            return Err(wrong(
                format!("`{path}` has {} B, more than {LARGEST_FILE}", content.len()),
                "build it for size and strip it: opt-level = \"z\", lto and strip in Cargo.toml",
            ));
        }
        if !content.starts_with(b"\0asm") {
            let text = content.trim_ascii_start().starts_with(b"(");
            return Err(wrong(
                format!("`{path}` is no WebAssembly module"),
                match text {
                    true => "it looks like the text form: assemble it, such as by wat2wasm",
                    false => "name the file that a compiler for wasm32-unknown-unknown wrote",
                },
            ));
        }
        let engine = Engine::new(&config());
        let refused = |error: wasmi::Error| {
            wrong(
                format!("`{path}` is refused: {error}"),
                "build for wasm32-unknown-unknown without SIMD, threads, tail calls and 64-bit memory",
            )
        };
        Module::validate(&engine, content).map_err(refused)?;
        let parts = parts(content).map_err(|(what, fix)| wrong(format!("`{path}` {what}"), fix))?;
        let (rewritten, globals) = rewritten(content, &parts);
        let module = Module::new(&engine, &rewritten).map_err(refused)?;
        check(&module).map_err(|(what, fix)| wrong(format!("`{path}` {what}"), fix))?;
        Ok(Code {
            module,
            engine,
            globals,
            starts: parts.start.is_some(),
            draws: parts.draws,
        })
    }
}

type Said = (String, String);

fn said(what: impl Into<String>, fix: impl Into<String>) -> Said {
    (what.into(), fix.into())
}

/// Reads the sections of a valid module.
fn parts(content: &[u8]) -> Result<Parts, Said> {
    let mut parts = Parts::default();
    let broken = |error: wasmparser::BinaryReaderError| {
        said(
            format!("cannot be read: {error}"),
            "build it anew for wasm32-unknown-unknown",
        )
    };
    for payload in Parser::new(0).parse_all(content) {
        match payload.map_err(broken)? {
            Payload::ImportSection(section) => {
                for import in section {
                    let import = import.map_err(broken)?;
                    let function = matches!(import.ty, TypeRef::Func(_));
                    if !function || (import.module, import.name) != IMPORT {
                        return Err(said(
                            format!("imports `{}.{}`", import.module, import.name),
                            format!(
                                "a controller imports nothing but the function `{}.{}`: it has no system below it",
                                IMPORT.0, IMPORT.1
                            ),
                        ));
                    }
                    parts.draws = true;
                }
            }
            Payload::GlobalSection(section) => {
                for (index, global) in (0..).zip(section) {
                    let ty = global.map_err(broken)?.ty;
                    if ty.mutable && ty.content_type.is_reference_type() {
                        return Err(said(
                            "has a mutable global that is a reference",
                            "keep state in numbers and memory: a copy of a world copies these",
                        ));
                    }
                    if ty.mutable {
                        parts.globals.push(index);
                    }
                }
            }
            Payload::ExportSection(section) => {
                let (range, count) = (section.range(), section.count());
                for export in section {
                    check_export(&export.map_err(broken)?)?;
                }
                parts.exports = Some((range, count));
            }
            Payload::StartSection { func, .. } => parts.start = Some(func),
            Payload::CodeSectionEntry(body) => {
                for operator in body.get_operators_reader().map_err(broken)? {
                    check_operator(&operator.map_err(broken)?)?;
                }
            }
            _ => {}
        }
    }
    Ok(parts)
}

/// Names that begin as those of the interface do are taken for typing errors.
fn check_export(export: &wasmparser::Export<'_>) -> Result<(), Said> {
    let known = EXPORTS.iter().any(|(name, ..)| *name == export.name);
    if export.name.starts_with("on_") && export.kind == ExternalKind::Func && !known {
        let all: Vec<&str> = EXPORTS.iter().map(|(name, ..)| *name).collect();
        let all: Vec<&str> = all.into_iter().filter(|n| n.starts_with("on_")).collect();
        return Err(said(
            format!("exports `{}`, which nobody would call", export.name),
            format!("name it one of {}", all.join(", ")),
        ));
    }
    Ok(())
}

/// A copy of a world copies memory and globals, so that nothing else may hold a state.
fn check_operator(operator: &Operator<'_>) -> Result<(), Said> {
    match operator {
        Operator::TableSet { .. }
        | Operator::TableGrow { .. }
        | Operator::TableFill { .. }
        | Operator::TableCopy { .. }
        | Operator::TableInit { .. }
        | Operator::ElemDrop { .. }
        | Operator::DataDrop { .. } => Err(said(
            "changes a table or drops a segment",
            "keep state in numbers and memory: a copy of a world copies these",
        )),
        _ => Ok(()),
    }
}

/// The module with exports for its mutable globals and for its start function, which the host calls from now on.
fn rewritten(content: &[u8], parts: &Parts) -> (Vec<u8>, Vec<String>) {
    let mut more: Vec<(String, u8, u32)> = Vec::new();
    for index in &parts.globals {
        more.push((format!("backwater:global {index}"), 3, *index));
    }
    let globals = more.iter().map(|(name, ..)| name.clone()).collect();
    more.extend(parts.start.map(|index| (START.to_owned(), 0, index)));
    let mut out = content[..8].to_vec();
    for payload in Parser::new(0).parse_all(content).flatten() {
        let Some((id, range)) = payload.as_section() else {
            continue;
        };
        let old = &content[range.clone()];
        match (&parts.exports, id) {
            // The start section.
            (_, 8) => {}
            (Some((exports, count)), _) if *exports == range => {
                let mut section = Vec::new();
                number(&mut section, *count + more.len() as u32);
                let mut skipped = Vec::new();
                number(&mut skipped, *count);
                // A compiler may have written the count in more bytes than it needs.
                let at = old.iter().position(|byte| byte & 0x80 == 0).unwrap_or(0) + 1;
                section.extend(&old[at.max(skipped.len())..]);
                for (name, kind, index) in &more {
                    number(&mut section, name.len() as u32);
                    section.extend(name.as_bytes());
                    section.push(*kind);
                    number(&mut section, *index);
                }
                out.push(id);
                number(&mut out, section.len() as u32);
                out.extend(section);
            }
            _ => {
                out.push(id);
                number(&mut out, old.len() as u32);
                out.extend(old);
            }
        }
    }
    (out, globals)
}

/// A number as LEB128.
fn number(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Exports and memory.
fn check(module: &Module) -> Result<(), Said> {
    for (name, arguments, results, required) in EXPORTS {
        let shape = || {
            let list = |types: &[ValType]| {
                let names: Vec<&str> = types.iter().map(|t| word(*t)).collect();
                names.join(", ")
            };
            format!("({}) -> ({})", list(arguments), list(results))
        };
        match module.get_export(name) {
            Some(ExternType::Func(ty)) if ty.params() == arguments && ty.results() == results => {}
            Some(_) => {
                return Err(said(
                    format!(
                        "exports `{name}`, but not as a function of the type {}",
                        shape()
                    ),
                    "declare it as docs/reference/wasm.md does",
                ));
            }
            None if required => {
                return Err(said(
                    format!("exports no function `{name}` of the type {}", shape()),
                    "export it: `backwater new controller-rust` writes a file that has all",
                ));
            }
            None => {}
        }
    }
    let Some(ExternType::Memory(memory)) = module.get_export(MEMORY) else {
        return Err(said(
            "exports no memory of the name `memory`",
            "export it: linkers for wasm32-unknown-unknown do",
        ));
    };
    if memory.minimum() > PAGES {
        return Err(said(
            format!(
                "has a memory of {} KiB, more than {} KiB",
                memory.minimum() * 64,
                PAGES * 64
            ),
            "give the linker a smaller stack: -C link-arg=-zstack-size=16384",
        ));
    }
    Ok(())
}

fn word(ty: ValType) -> &'static str {
    match ty {
        I32 => "i32",
        I64 => "i64",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        _ => "another",
    }
}
