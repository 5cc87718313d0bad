"""Sizes, circles of imports, names, words and links, in Rust, Python and Markdown alike.

What breaks a rule already stands in `tidy.json` with its present figure, which may only fall.
`python tests/test_tidy.py` lowers the figures to what is measured and never raises one.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KNOWN = Path(__file__).with_name("tidy.json")
FOLDERS = ("crates", "python", "scripts", "validation", "tests", "docs", "benches", "fuzz")
GENERATED = "Written by `make tables`"
CRATES = ("transport", "sim", "scenario", "emu", "py")

FILE_LINES = 400
FUNCTION_LINES = 70
CIRCLE_FILES = 4
NAME_FILES = 2
MEDIUM_FILES = 8
CALL_CIRCLE_FILES = 6
AIR_FILES = {"crates/sim": 5, "crates": 12}
# Where a metric has the name of a field that asks for it.
METRICS = ("crates/scenario/src/document", "crates/scenario/src/metrics")
# ARCHITECTURE.md fits six screens of 40 lines.
SCREENS, SCREEN_LINES, SCREEN_COLUMNS = 6, 40, 120

# Phrases that a reader in a hurry does not get at first reading, and what to write instead.
PHRASES = {
    r"\bwhat is so about\b": "name the property",
    r"\bsuch a thing has happened\b": "name the event",
    r"\bby itself\b": "say who does it, or nothing",
    r"\bin vain\b": "say what was found: an empty queue, no room",
    r"\bthat it may\b": "say what is permitted, with the verb",
    r"\bunless it does\b": "say under which condition",
    r"\bno end of numbers\b": "unbounded",
    r"\bmade up for\b": "replayed, caught up",
    r"\ball the same\b": "still, or name the exception",
    r"\blooked after\b": "scheduled, handled",
    r"\blost count of\b": "not conserved",
    r"\bno plain wire\b": "not a symmetric Ethernet link",
    r"\bif it is one\b": "if true",
    r"\bcomes and goes\b": "arrivals and departures",
    r"\bwhat says most\b": "the most specific",
    r"\bluck\b": "random arrivals, seeds",
    r"\bthe books of\b": "the conservation check",
    r"\bwithout a question\b": "without a check",
    r"\bhas a\b[^.;]{0,60}\blooked\b": "schedules",
    r"\bears?\b": "receiver, reception",
    r"\bin turn\b": "round-robin",
    r"\b(look_at|hears?|obey|heed)_\w+": "observe, receive, react to",
    r"(?i)\bheed(s|ed)?\b": "reacts to, may end an alarm",
    r"\b(find_way|turn_away|turned_away)\b": "set_next_hop, refuse_arrival",
}


@cache
def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def files(*suffixes: str) -> tuple[Path, ...]:
    """Every file of the project of these kinds that a person wrote."""
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    found = [path for path in (*ROOT.glob("*"), *inside) if path.suffix in suffixes]
    hidden = {"target", "node_modules", "corpus"}
    return tuple(
        path
        for path in sorted(found)
        if not any(p in hidden or p.startswith(".") for p in path.relative_to(ROOT).parts)
        and GENERATED not in read(path).split("from __future__")[0][:2000]
    )


def sources() -> Iterator[Path]:
    """The files that are no tests."""
    for path in files(".rs", ".py"):
        parts = path.relative_to(ROOT).parts
        own = (one == "tests" or one.startswith("test_") for one in (*parts[:-1], path.stem))
        if not any(own) and parts[0] != "fuzz":
            yield path


@cache
def code(path: Path) -> str:
    """A file without the unit tests at its end."""
    text = read(path)
    if path.suffix == ".rs":
        text = re.split(r"^#\[cfg\(test\)\]\n(?:pub[^\n]*? )?mod \w+ \{", text, flags=re.M)[0]
    return text


@cache
def uncommented(path: Path) -> str:
    return re.sub(r"//.*" if path.suffix == ".rs" else r"#.*", "", code(path))


def known(check: str) -> dict[str, int]:
    figures: dict[str, int] = json.loads(read(KNOWN))[check]
    return figures


def hold(check: str, measured: Mapping[str, int], bound: int, unit: str, remedy: str) -> None:
    """No figure lies above the bound or, where it did already, above what is known."""
    allowed = known(check)
    wrong = [
        f"{place}: {figure} {unit}, at most {max(bound, allowed.get(place, 0))}. {remedy}"
        for place, figure in measured.items()
        if figure > max(bound, allowed.get(place, 0))
    ]
    assert not wrong, "\n" + "\n".join(wrong)


def file_lines() -> dict[str, int]:
    return {name(path): code(path).count("\n") for path in sources()}


def rust_functions(text: str) -> Iterator[tuple[str, int]]:
    """Functions and their lines, in text that rustfmt has laid out."""
    lines = text.split("\n")
    start = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |unsafe |extern \"C\" )*fn (\w+)")
    for number, line in enumerate(lines):
        found = start.match(line)
        if found is None:
            continue
        for length, end in enumerate(lines[number:], 1):
            if end == f"{found[1]}}}" or (length == 1 and end.endswith("}")):
                yield found[2], length
                break
            if (
                end.endswith(";")
                and end.startswith(found[1])
                and "{" not in "".join(lines[number : number + length])
            ):
                break


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    for one in ast.walk(ast.parse(text)):
        if isinstance(one, ast.FunctionDef):
            yield one.name, (one.end_lineno or one.lineno) - one.lineno + 1


def function_lines() -> dict[str, int]:
    measured: dict[str, int] = {}
    for path in sources():
        functions = rust_functions if path.suffix == ".rs" else python_functions
        for function, length in functions(code(path)):
            place = f"{name(path)} {function}"
            measured[place] = max(length, measured.get(place, 0))
    return measured


def rust_uses(text: str) -> Iterator[str]:
    """Every path that a file imports or re-exports, with braces written out."""
    for found in re.finditer(r"^(?:pub(?:\([^)]*\))? )?use ([^;]+);", text, flags=re.M):
        yield from spread(re.sub(r"\s+", "", re.sub(r"\bas \w+", "", found[1])))


def spread(path: str) -> Iterator[str]:
    before, brace, rest = path.partition("{")
    if not brace:
        yield path
        return
    depth, part = 0, ""
    for letter in rest[: rest.rindex("}")]:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield from spread(before + part)
            part = ""
        else:
            part += letter
    if part:
        yield from spread(before + part)


def rust_imports(crate: str) -> dict[str, set[str]]:
    """Which file of a crate imports from which; what is re-exported belongs to the one between."""
    folder = ROOT / "crates" / crate / "src"
    modules: dict[tuple[str, ...], Path] = {}
    for path in sources():
        if folder in path.parents:
            parts = path.relative_to(folder).with_suffix("").parts
            modules[parts[:-1] if parts[-1] in ("mod", "lib") else parts] = path
    graph: dict[str, set[str]] = {name(path): set() for path in modules.values()}
    for module, path in modules.items():
        for use in rust_uses(code(path)):
            rest = use.split("::")
            at: tuple[str, ...] = module
            while rest and rest[0] in ("crate", "self", "super"):
                at = {"crate": (), "self": at, "super": at[:-1]}[rest.pop(0)]
            if (
                use.split("::")[0] not in ("crate", "self", "super")
                and (*module, rest[0]) not in modules
            ):
                continue
            while rest and (*at, rest[0]) in modules:
                at = (*at, rest.pop(0))
            if at in modules and at != module:
                graph[name(path)].add(name(modules[at]))
    return graph


def python_imports() -> dict[str, set[str]]:
    folder = ROOT / "python"
    modules = {}
    for path in files(".py"):
        if folder in path.parents:
            parts = path.relative_to(folder).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph: dict[str, set[str]] = {name(path): set() for path in modules.values()}
    for module, path in modules.items():
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        for one in ast.walk(ast.parse(read(path))):
            for target in imported(one, package):
                # A name that is no module is one of the module before; the native one has no file.
                found = target if target in modules else target.rpartition(".")[0]
                if target.startswith("backwater._native"):
                    continue
                if found in modules and found != module:
                    graph[name(path)].add(name(modules[found]))
    return graph


def imported(one: ast.AST, package: str) -> Iterator[str]:
    if isinstance(one, ast.Import):
        yield from (alias.name for alias in one.names)
    elif isinstance(one, ast.ImportFrom):
        up = package.split(".")[: len(package.split(".")) - one.level + 1] if one.level else []
        base = ".".join([*up, *([one.module] if one.module else [])])
        yield from (f"{base}.{alias.name}" for alias in one.names)


def circle(graph: Mapping[str, Iterable[str]]) -> set[str]:
    """The largest set of files that all reach each other."""

    def reached(start: str) -> set[str]:
        seen, open_ends = set(), [start]
        while open_ends:
            for following in graph[open_ends.pop()]:
                if following not in seen:
                    seen.add(following)
                    open_ends.append(following)
        return seen

    reach = {file: reached(file) for file in graph}
    circles = ({a for a in reach[file] if file in reach[a]} for file in graph)
    return max(circles, key=len, default=set())


RUST_IMPL = re.compile(
    r"^impl(?:<[^>]*>)? (?:[\w:]+(?:<[^>]*>)? for )?(\w+)[^\n]*\{\n(.*?)^\}", re.M | re.S
)
# Names of arguments and fields that are not their type's name in small letters.
HOLDERS = {"cx": "Shared"}


def inherent(crate: str) -> dict[str, dict[str, set[str]]]:
    """For each type with methods of its own in several files, which file has which of them."""
    found: dict[str, dict[str, set[str]]] = {}
    for path in sources():
        if ROOT / "crates" / crate / "src" in path.parents and path.suffix == ".rs":
            for block in RUST_IMPL.finditer(uncommented(path)):
                if " for " in block[0].split("{")[0]:
                    continue
                methods = re.findall(
                    r"^    (?:pub(?:\([^)]*\))? )?(?:const )?fn (\w+)", block[2], re.M
                )
                found.setdefault(block[1], {}).setdefault(name(path), set()).update(methods)
    return {of: files for of, files in found.items() if len(files) > 1}


def rust_calls(crate: str) -> dict[str, set[str]]:
    """Which file calls a method that a type has in another file. Such calls need no import."""
    graph: dict[str, set[str]] = {file: set() for file in rust_imports(crate)}
    types = inherent(crate)
    holders = {re.sub(r"(?<!^)(?=[A-Z])", "_", of).lower(): of for of in types} | HOLDERS
    for path in sources():
        if name(path) not in graph:
            continue
        text = uncommented(path)
        calls = [
            (holders.get(of), method) for of, method in re.findall(r"\b(\w+)\s*\.(\w+)\(", text)
        ]
        for block in RUST_IMPL.finditer(text):
            calls += [(block[1], m) for m in re.findall(r"\bself\s*\.(\w+)\(", block[2])]
            calls += [(block[1], m) for m in re.findall(r"\bSelf::(\w+)\(", block[2])]
        calls += re.findall(r"\b([A-Z]\w+)::(\w+)\(", text)
        for of, method in calls:
            for file, methods in types.get(of or "", {}).items():
                if method in methods and file != name(path):
                    graph[name(path)].add(file)
    return graph


@cache
def graphs() -> dict[str, dict[str, set[str]]]:
    crates = {f"crates/{crate}": rust_imports(crate) for crate in CRATES}
    return {**crates, "python/backwater": python_imports()}


def parts() -> Iterator[str]:
    """The name of every controller, queue, stamp, source, detector, notifier and responder."""
    tables = ("controller", "queue", "stamp", "source", "detector", "notifier", "responder")
    for path in sources():
        if path.suffix == ".rs" and path.parent.name in tables:
            row = re.search(r"\bPART: .*?\bid: \"([\w-]+)\"", code(path), flags=re.S)
            if row is not None:
                yield row[1]


# Files that say a part's word and mean something else.
HOMONYMS = {"sojourn": "crates/sim/src/queue/pie.rs"}


def name_files() -> dict[str, int]:
    token = re.compile(r'\b\w+::|\bmod \w+;|\b[A-Z]\w*\b|"[\w-]+"')
    tokens = [set(token.findall(uncommented(path))) for path in sources()]
    measured = {}
    # In the binding `Python` is the interpreter.
    binding = {at for at, path in enumerate(sources()) if "crates/py/" in name(path)}
    for part, rows in sorted(Counter(parts()).items()):
        snake = part.replace("-", "_")
        camel = "".join(word.capitalize() for word in snake.split("_"))
        known_as = {f"{snake}::", f"mod {snake};", camel, f'"{part}"'}
        beside = binding if part == "python" else set()
        beside = beside | {
            at for at, path in enumerate(sources()) if name(path) == HOMONYMS.get(part)
        }
        files = [one for at, one in enumerate(tokens) if at not in beside]
        known_by = sum(not known_as.isdisjoint(one) for one in files)
        # A sender and its router share a name: each has its file and its table.
        measured[part] = known_by - NAME_FILES * (rows - 1)
    return measured


def medium_files() -> dict[str, int]:
    inside = ROOT / "crates/sim/src/medium"
    measured = {}
    for medium in ("wifi", "trace", "boxes", "ethernet"):
        outside = (p for p in sources() if p.suffix == ".rs" and not p.is_relative_to(inside))
        measured[medium] = sum(f"medium::{medium}" in uncommented(p) for p in outside)
    return measured


# Names in code that knows 802.11: its tables, its stations, its radios.
AIR_NAMES = re.compile(
    r"medium::wifi|\b(air|Air|radios?|Radio|StationId|StationSpec|is_radio)\b|(Place|NodeKind|Service)::Station"
)


# Each file outside `medium/` that knows 802.11, and why no row or trait can know it instead.
AIR_REASONS = {
    "crates/scenario/src/canonical/media.rs": "writes media and stations in canonical form",
    "crates/scenario/src/decode/media.rs": "reads media and stations",
    "crates/scenario/src/decode/topology/random_grid.rs": "places stations",
    "crates/scenario/src/decode/topology/stations.rs": "makes stations and access points",
    "crates/scenario/src/document/air.rs": "shows what stations counted",
    "crates/scenario/src/document/ways.rs": "draws links between stations",
    "crates/scenario/src/document.rs": "calls both",
    "crates/scenario/src/run/capture.rs": "captures frames on the air",
    "crates/scenario/src/series/station.rs": "series of stations",
    "crates/scenario/src/wireless.rs": "the fields of media and stations",
    "crates/sim/src/spec.rs": "a node that is a station has radios",
    "crates/sim/src/world/mod.rs": "lends the tables of 802.11 to documents and captures",
}
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)


def without_sentences(text: str) -> str:
    """Code without its help texts and errors: a sentence about radios uses no name of the code."""
    return TEXT.sub(lambda found: '""' if " " in found[0] else found[0], text)


def air_names() -> list[str]:
    """Files outside `medium/` that know 802.11, by the names in use."""
    inside = ROOT / "crates/sim/src/medium"
    outside = [p for p in sources() if p.suffix == ".rs" and not p.is_relative_to(inside)]
    return [name(p) for p in outside if AIR_NAMES.search(without_sentences(uncommented(p)))]


def air_files() -> dict[str, int]:
    """How many of them lie in the simulator, and in all crates."""
    know = air_names()
    return {of: sum(one.startswith(f"{of}/") for one in know) for of in AIR_FILES}


@cache
def prose(path: Path) -> str:
    """A file with comment marks taken off, so that a phrase is found over the end of a line."""
    text = re.sub(r"^\s*(?:///|//!|//|#+)\s?", " ", read(path), flags=re.M)
    return re.sub(r"\s+", " ", text).lower()


def uses(phrase: str) -> list[str]:
    """Where a phrase stands, with the words around it."""
    found = []
    for path in files(".rs", ".py", ".md"):
        if path != Path(__file__).resolve():
            text = prose(path)
            hits = re.finditer(phrase, text)
            found += [f"{name(path)}: {text[max(0, h.start() - 40) : h.end() + 40]}" for h in hits]
    return found


def phrases() -> dict[str, int]:
    return {phrase: len(uses(phrase)) for phrase in PHRASES}


def anchors(path: Path) -> set[str]:
    """The name of a Markdown file's heading in a link."""
    headings = re.findall(
        r"^#+ +(.+?) *$", re.sub(r"```.*?```", "", read(path), flags=re.S), flags=re.M
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# `scripts/site_pages.py` makes them when the site is built, and `mkdocs --strict` checks them.
MADE_PAGES = re.compile(r"docs/(gallery/|notebooks/index|project/|explanation/(valid|archit))")


def dead_links(path: Path) -> list[str]:
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", read(path), flags=re.S)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        goal = (path.parent / file).resolve() if file else path
        if MADE_PAGES.match(goal.relative_to(ROOT).as_posix() if goal.is_relative_to(ROOT) else ""):
            continue
        if not goal.exists() or (anchor and goal.suffix == ".md" and anchor not in anchors(goal)):
            dead.append(target)
    return dead


# Names that stand for one that the reader chooses.
STANDING_FOR = ("NAME", "ID", "my_part", "my-part")


def lost_paths(path: Path) -> list[str]:
    """Files of the project that a document names in backticks and that no file's path ends with."""
    have = [
        "/" + name(one).replace("/src/", "/")
        for one in files(".rs", ".py", ".md", ".toml", ".json")
    ]
    named = re.findall(r"`((?:[\w.-]+/)+[\w-]+\.(?:rs|py|md))`", read(path))
    named += [
        f"{a}{part}{z}"
        for a, inner, z in re.findall(r"`((?:[\w.-]+/)+)\{([\w,]+)\}(\.\w+)`", read(path))
        for part in inner.split(",")
    ]
    named = [one.replace("/src/", "/") for one in named if Path(one).stem not in STANDING_FOR]
    # Tables that the engine writes are none of ours to measure, but they are there.
    there = [one for one in named if (ROOT / one).is_file()]
    known = [one for one in named if any(path.endswith("/" + one) for path in have)]
    return [one for one in named if one not in there + known]


MEASURES = {
    "file lines": (file_lines, FILE_LINES),
    "function lines": (function_lines, FUNCTION_LINES),
    "files in a circle": (lambda: {k: len(circle(g)) for k, g in graphs().items()}, CIRCLE_FILES),
    "files that know a part": (name_files, NAME_FILES),
    "files that know a medium": (medium_files, MEDIUM_FILES),
    "files in a circle of calls": (
        lambda: {"crates/sim": len(circle(rust_calls("sim")))},
        CALL_CIRCLE_FILES,
    ),
    "files that know 802.11": (air_files, min(AIR_FILES.values())),
    "phrases": (phrases, 0),
}


def test_files_are_short() -> None:
    hold("file lines", file_lines(), FILE_LINES, "lines", "Split it by what it is about.")


def test_functions_are_short() -> None:
    remedy = "Name its steps and make them functions."
    hold("function lines", function_lines(), FUNCTION_LINES, "lines", remedy)


@pytest.mark.parametrize("place", [*(f"crates/{crate}" for crate in CRATES), "python/backwater"])
def test_files_import_in_one_direction(place: str) -> None:
    files_of = circle(graphs()[place])
    remedy = f"Move what both sides need into a file that imports neither: {sorted(files_of)}"
    hold("files in a circle", {place: len(files_of)}, CIRCLE_FILES, "files in a circle", remedy)


def test_files_call_in_one_direction() -> None:
    files_of = circle(rust_calls("sim"))
    remedy = f"Let one side give what the other asks for: {sorted(files_of)}"
    measured = {"crates/sim": len(files_of)}
    check = "files in a circle of calls"
    hold(check, measured, CALL_CIRCLE_FILES, "files in a circle of calls", remedy)


@pytest.mark.parametrize("of", AIR_FILES)
def test_few_files_know_802_11_by_its_names(of: str) -> None:
    remedy = "Ask the port, the place or the medium's row."
    measured = {of: air_files()[of]}
    hold("files that know 802.11", measured, AIR_FILES[of], "files know it", remedy)


def test_each_file_that_knows_802_11_has_a_reason() -> None:
    assert set(air_names()) == set(AIR_REASONS), "write the reason, or delete it with the name"


def test_a_simple_field_of_a_flow_is_written_in_three_places() -> None:
    """Its row, the line that reads it, and its value in the world's specification; the canonical
    form, the schema and the builders follow."""
    scenario = ROOT / "crates/scenario/src"
    row = scenario / "fields/flow.rs"
    simple = re.findall(r'Field::simple\(\s*(?:Opt::new\(\s*)+"(\w+)"', read(row))
    readers = [p for p in sources() if p.is_relative_to(scenario) and p != row]
    readers = [p for p in readers if not name(p).startswith(METRICS)]
    for field in simple:
        read_by = [name(p) for p in readers if f'"{field}"' in uncommented(p)]
        assert len(read_by) == 1, f"{field} is read in {read_by}"
    options = read(ROOT / "crates/sim/src/spec.rs").split("pub struct FlowOptions {")[1]
    values = re.findall(r"pub (\w+):", options.split("\n}")[0])
    assert {"budget", "hurst"} <= set(values) <= set(simple)
    for value in values:
        used = re.compile(rf"\b{value}\b")
        named = [name(p) for p in readers if used.search(uncommented(p))]
        assert named == ["crates/scenario/src/decode/flows.rs"], f"{value}: {named}"


def test_a_part_is_known_to_its_file_and_its_table() -> None:
    remedy = "Ask the part's row or trait, not its name."
    hold("files that know a part", name_files(), NAME_FILES, "files know it", remedy)


def test_a_medium_is_known_to_few_files() -> None:
    remedy = "Put it behind what media have in common."
    hold("files that know a medium", medium_files(), MEDIUM_FILES, "files know it", remedy)


@pytest.mark.parametrize("phrase", PHRASES)
def test_words_are_plain(phrase: str) -> None:
    found = uses(phrase)
    remedy = "\n".join([f"Write instead: {PHRASES[phrase]}", *found])
    hold("phrases", {phrase: len(found)}, 0, "times", remedy)


@pytest.mark.parametrize("path", files(".md"), ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    assert dead_links(path) == [], f"{name(path)}: correct the link, or write what it leads to"


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_a_document_names_exist(document: str) -> None:
    assert lost_paths(ROOT / document) == [], f"{document}: name the file that has it now"


def test_the_architecture_fits_six_screens() -> None:
    lines = read(ROOT / "ARCHITECTURE.md").splitlines()
    wide = [line for line in lines if len(line) > SCREEN_COLUMNS]
    assert not wide, f"break the lines, shorten the rows: {wide}"
    assert len(lines) <= SCREENS * SCREEN_LINES, "move details to the heads of their files"


def test_the_picture_of_the_house_says_what_its_mermaid_says() -> None:
    """The site shows a picture in place of the drawing."""
    drawing = re.search(r"```mermaid\n(.*?)```", read(ROOT / "ARCHITECTURE.md"), re.S)
    assert drawing is not None
    picture = re.findall(r"<text[^>]*>([^<]*)<", read(ROOT / "docs/assets/house.svg"))
    said = re.findall(r'"([^"]*)"', drawing[1])
    words = {part for one in said for part in (one, *one.split(": "))}
    assert words.issuperset(picture)
    assert all(one in picture or set(one.split(": ")) <= set(picture) for one in said)


def test_no_file_names_a_path_of_a_machine() -> None:
    machine = re.compile(r"/(?:home|Users)/\w|/root/|/work/|\b[A-Z]:\\\\\w")
    every = files(".rs", ".py", ".md", ".toml", ".sh", ".json", ".cff", ".yml")
    texts = (path for path in every if path != Path(__file__).resolve())
    wrong = [f"{name(p)}: {hit[0]}" for p in texts for hit in machine.finditer(read(p))]
    assert not wrong, f"write a path relative to the repository: {wrong}"


def tighten() -> None:
    """Lowers the known figures to the measured ones; the first time, writes all over a bound."""
    first = not KNOWN.exists()
    before = {} if first else json.loads(KNOWN.read_text(encoding="utf-8"))
    after = {}
    for check, (measure, bound) in MEASURES.items():
        measured = {place: figure for place, figure in measure().items() if figure > bound}
        old = before.get(check, measured)
        after[check] = {p: min(f, old[p]) for p, f in sorted(measured.items()) if p in old}
    KNOWN.write_text(json.dumps(after, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    tighten()
