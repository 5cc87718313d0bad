# Every target does its own set-up. PYTHON=... chooses the Python that .venv is made with.

VENV := .venv
BIN := $(VENV)/bin
OUT := out
FUZZ_SECONDS := 20
# On a fresh clone the inputs are the same each time; a slower machine tries fewer of them. `make fuzz FUZZ_SEED=0` draws others.
FUZZ_SEED := 1
# What `make mutants` compares the tree with, and what else cargo-mutants or scripts/mutants.py is told.
BASE := origin/main
MUTANTS :=
# Random worlds of `make worlds`, and of `make same`.
WORLDS := 1000000
same: WORLDS := 6000
# A revision or a folder that `make same` compares the tree with, and events of a benchmark there.
OLD := HEAD
EVENTS := 200000
# One experiment of every source: switched LAN, mesh with AIFSN, cellular link, WLAN with feedback, 802.11s, and queues beside them.
DEMO := lan-merging mesh-baseline cell-fixed-window wlan-hetero-rtt mesh40-micro-collision aqm-bufferbloat

# One experiment of each source, the shortest that judges a claim.
SOURCES := lan-source-control mesh-both-ends cell-aimd wlan-gain mesh40-micro-collision
# Some tests wait for the time to pass: one process more than there are cores fills it.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Tests of Python that start no command and run no study.
UNIT := $(addprefix tests/test_,tidy.py layout.py claim.py interval.py quantity.py reduce.py builders.py api.py plane.py world.py)

# Where rustup puts cargo: a shell that was open before it ran doesn't know.
export PATH := $(HOME)/.cargo/bin:$(PATH)
# The binding crate is checked against the Python that will load it.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# A module is compiled when it is first imported: most never are. pip takes a false value here for "yes".
export PIP_NO_COMPILE := 0
# Where this is set, each of the hundreds of commands that the tests start compiles all its modules anew: a quarter of its time.
unexport PYTHONDONTWRITEBYTECODE
# With what an incremental build keeps, the next one takes a third of the time, and this one a quarter more: the first is done
# without. `make check`, or cargo called directly, goes over to it, and from then on all do.
ifeq ($(wildcard target/debug/incremental/*),)
export CARGO_INCREMENTAL ?= 0
endif

# Crates whose unit tests are compiled without optimisation: a sixth of the time, and they run for some seconds more. The tests from
# outside run what is optimised.
UNOPTIMISED := backwater-transport backwater-sim backwater-scenario
define unit_tests
cargo test --locked --lib --package $(1) --config profile.dev.package.$(1).opt-level=0

endef

ENGINE := Cargo.toml Cargo.lock $(shell find crates -type f)

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help setup demo ablate check test long lint lint-format lint-rust lint-python test-rust unit outside test-portable test-python fuzz mutants mutants-all worlds same bench wheel tables docs web look reports crates clean

help:
	@echo "make demo    build everything, run one experiment of every source and a small contest, in 5 minutes"
	@echo "make check   while you work: lints, unit tests, one study of each source"
	@echo "make test    everything that must hold before a change is merged"
	@echo "make long    what takes longer, and CI runs beside it: all studies and their ablations, other builds, random inputs"
	@echo "make ablate  the quick form of all studies without their mechanisms: which claims can't fail?"
	@echo "make setup   build the release into $(VENV)/"
	@echo "make worlds  a million random scenarios of all tables, each held to the invariants of a run"
	@echo "make same    this tree beside OLD=$(OLD): fingerprints, events, documents, records in order, instructions"
	@echo "make mutants mutate what changed since BASE=$(BASE) in the engine; mutants-all: all of it"
	@echo "make bench   the cost of a packet hop, beside ns-3 where it is installed"
	@echo "make lint    formatting, lints and types only"
	@echo "make wheel   a wheel whose engine was optimised with a profile, in dist/"
	@echo "make tables  what is written from the engine's tables: docs/reference and the builders of Python"
	@echo "make web     the playground: the engine in one page for a browser, out/playground.html"
	@echo "make look    pictures of all that people see, on one sheet: out/look/index.html"
	@echo "make docs    the documentation site, with a search that works without a server"
	@echo "make reports the quick form of all studies, whose reports the site then shows"
	@echo "make crates  the API documentation of the crates"
	@echo "make clean   remove what was built; results in $(OUT)/ stay"

setup: $(VENV)/.built

# Twice asked for the same Python, venv changes nothing.
$(VENV)/.tools: pyproject.toml scripts/prerequisites.sh
	@python=$$(scripts/prerequisites.sh) && "$$python" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet 'maturin>=1.8,<2'
	@touch $@

$(VENV)/.built: $(VENV)/.tools $(ENGINE)
	$(BIN)/maturin develop --release --extras dev
	@touch $@ $(VENV)/.engine

# The engine of the tests, from the crates that the tests in Rust need anyway: built in half of the time, runs take 1.3 times as long.
# Where the release is up to date, it stays.
$(VENV)/.engine: $(VENV)/.tools $(ENGINE)
	$(BIN)/maturin develop --profile dev --extras dev
	@rm -f $(VENV)/.built && touch $@

demo: setup
	$(BIN)/backwater study run $(DEMO) --quick --resume --out $(OUT)/demo
	$(BIN)/backwater contest cubic bbr3 copa sprout --duration 30 --plot $(OUT)/demo/contest.svg
	@echo "start here: $(CURDIR)/$(OUT)/demo/index.html; the contest: $(OUT)/demo/contest.svg"

ablate: setup
	$(BIN)/backwater study run --all --quick --ablate --resume --out $(OUT)/ablate

# For the inner loop. What is longer, live or drawn is left to `make test`; a study whose engine is the same doesn't run again.
check: export CARGO_INCREMENTAL := 1
check: $(VENV)/.engine lint
	scripts/beside.sh "$(MAKE) unit" "$(BIN)/python -m pytest --numprocesses auto $(UNIT)"
	cargo test --workspace --locked --lib $(UNOPTIMISED:%=--exclude %)
	$(BIN)/backwater study run $(SOURCES) --quick --resume --out $(OUT)/check

test: lint test-rust test-portable test-python

# Tests that judge all studies, with and without their mechanisms, build the engine again in another form (a page, a crate of one's own,
# a copy with new parts), draw every figure, or feed what is random. They run the release.
long: setup
	$(BIN)/python -m pytest -m long --numprocesses auto --dist loadfile
	$(MAKE) fuzz

lint: $(VENV)/.tools
	scripts/beside.sh "$(MAKE) $(VENV)/.engine" "$(MAKE) lint-format"
	scripts/beside.sh "$(MAKE) lint-rust" "$(MAKE) lint-python"

# cargo fmt does not find the modules that a macro lists.
lint-format:
	cargo fmt --all --check
	cargo fmt --manifest-path scripts/mutate/Cargo.toml --check
	find crates -name '*.rs' -exec rustfmt --edition 2024 --check {} +

lint-rust: $(VENV)/.tools
	cargo clippy --workspace --all-targets --locked -- -D warnings

lint-python: $(VENV)/.engine
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-rust: $(VENV)/.engine
	scripts/beside.sh "$(MAKE) outside" "$(MAKE) unit"

unit:
	$(foreach crate,$(UNOPTIMISED),$(call unit_tests,$(crate)))

# All tests in Rust but those.
outside:
	cargo test --workspace --locked $(UNOPTIMISED:%=--exclude %)

test-portable:
	@if ! test -d "$$(rustc --print target-libdir --target wasm32-unknown-unknown)"; then \
	    rustup target add wasm32-unknown-unknown || true; \
	fi
	@if test -d "$$(rustc --print target-libdir --target wasm32-unknown-unknown)"; then \
	    set -x; cargo check --locked -p backwater-transport -p backwater-sim --target wasm32-unknown-unknown; \
	else \
	    echo "not checked for WebAssembly: the target wasm32-unknown-unknown can't be installed here"; \
	fi

test-python: $(VENV)/.engine
	$(BIN)/python -m pytest -m "not long" --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# What a run finds new goes to target/, so that a test leaves the tree as it was. An input that takes ten minutes is taken for one that never ends.
fuzz:
	@if cargo fuzz --version >/dev/null 2>&1; then \
	    targets=$$(cargo fuzz list) || exit 1; \
	    for target in $$targets; do \
	        new=$(CURDIR)/target/fuzz-corpus/$$target; kept=$(CURDIR)/fuzz/corpus/$$target; \
	        mkdir -p "$$new" "$$kept"; \
	        (set -x; cargo fuzz run --sanitizer none "$$target" "$$new" "$$kept" -- \
	            -seed=$(FUZZ_SEED) -max_total_time=$(FUZZ_SECONDS) -timeout=600 -print_final_stats=1) || exit 1; \
	    done; \
	else \
	    echo "not fuzzed: cargo-fuzz is absent (cargo install --locked cargo-fuzz)"; \
	fi

# A mutant that no test notices is a survivor: kill it by a test, or explain it in docs/results/mutants.md.
# Status 2 says that some survived, 3 that a test didn't end.
mutants:
	@if cargo mutants --version >/dev/null 2>&1; then \
	    mkdir -p target && git diff --relative $(BASE) -- crates > target/mutants.diff || exit 1; \
	    set -x; cargo mutants --in-diff target/mutants.diff --output target $(MUTANTS); \
	else \
	    echo "not mutated: cargo-mutants is absent (cargo install --locked cargo-mutants)"; \
	fi

# All mutants in one build: hours, and it goes on where it was. What the fast tests leave is tried with the slow ones. MUTANTS='--only queue/red.rs' or MUTANTS='--hours 1' takes a part.
mutants-all: setup
	cargo test --locked --manifest-path scripts/mutate/Cargo.toml --target-dir target/mutate/tool
	$(BIN)/python scripts/mutants.py $(MUTANTS)
	$(BIN)/python scripts/mutants.py --step run --again survived-fast --seconds 600 $(MUTANTS)
	$(BIN)/python scripts/results/mutants.py --into docs/results/tables/mutants.md target/mutate

# Structure-aware: every part of every table, with the invariants of a run as oracle.
worlds:
	cargo run --release --locked -p backwater-scenario --example worlds -- 0 $(WORLDS)

# Two builds, the same worlds and benchmarks: what differs first, and the ratio of instructions.
same: $(VENV)/.tools
	$(BIN)/python scripts/same.py $(OLD) --worlds $(WORLDS) --events $(EVENTS)

bench: setup
	$(BIN)/backwater bench

tables: setup
	$(BIN)/python scripts/builders.py
	$(BIN)/python scripts/reference.py

# Branches and inlining follow what a training run took: 9 to 15 % less time a hop. Two builds with fat LTO, ten minutes.
wheel: setup
	$(BIN)/python scripts/wheel.py --out dist

web: setup
	$(BIN)/python scripts/playground.py $(OUT)/playground.html
	@echo "start here: $(CURDIR)/$(OUT)/playground.html"

# Pages at two widths, light and dark, print, terminal and figures. Of the site and the playground what has been built.
look: setup
	$(BIN)/python scripts/look.py $(OUT)/look

# Reports that `make reports` has made become part of the gallery, and the page of `make web` part of the site.
docs: tables
	$(BIN)/maturin develop --release --extras docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@if test -f $(OUT)/playground.html; then cp $(OUT)/playground.html $(OUT)/site/; fi
	@echo "start here: $(CURDIR)/$(OUT)/site/index.html"

reports: setup
	$(BIN)/backwater study run --all --quick --resume --out $(OUT)/reports

crates: setup
	cargo doc --workspace --no-deps --locked

clean:
	rm -rf $(VENV) target fuzz/target .mypy_cache .ruff_cache .pytest_cache
	rm -f python/backwater/_native*.so
