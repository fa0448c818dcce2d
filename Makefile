# For people: installs what the build needs, builds agon, and runs it.
#   make debate MOTION="This house would ..."    build, and watch a debate of the embedded model
#   make dist                                    packages for others, in target/dist
#   make book                                    all pages as a book, in target/book/html
#   make test                                    every test that needs no model, server or browser
# One build serves them: the tests are compiled with the settings of the program.

MOTION ?= This house would teach programming in every school.
AGON := $(or $(CARGO_TARGET_DIR),target)/release/agon
# What makes a server of agon; tested by scripts/check-journal and scripts/check-cluster.
SERVER := agon/cluster,agon/oidc,agon/otel
# Many tests wait for a program or a clock: more of them than there are processors run at once.
export RUST_TEST_THREADS ?= $(shell expr 3 \* `getconf _NPROCESSORS_ONLN`)

.PHONY: debate build dist book test lint setup
.SILENT:

debate: build
	$(AGON) show example
	echo "That was a debate of capable participants. The embedded model holds the next one, and debates worse."
	$(AGON) run exchange "$(MOTION)" --model local

build: setup
	cargo build --release --package agon

dist: build
	scripts/dist --development --binary $(AGON)

book:
	scripts/check-book

test: setup
	cargo test --release --workspace --exclude agon-cluster

lint: setup
	cargo fmt --all --check
	cargo clippy --release --workspace --exclude agon-cluster --all-targets -- --deny warnings
	cargo clippy --release --workspace --features $(SERVER) --all-targets -- --deny warnings
	cargo clippy --release --package agon --no-default-features -- --deny warnings

setup:
	scripts/setup
