# For people: installs what the build needs, builds agon, and runs it.
#   make debate MOTION="This house would ..."    build, and watch a debate of the embedded model
#   make dist                                    packages for others, in target/dist
#   make book                                    all pages as a book, in target/book/html
#   make test                                    every test that needs no model, server or browser

MOTION ?= This house would teach programming in every school.
AGON := $(or $(CARGO_TARGET_DIR),target)/release/agon

.PHONY: debate build dist book test lint setup
.SILENT:

debate: build
	$(AGON) run exchange "$(MOTION)" --model local

build: setup
	cargo build --release --package agon

dist: build
	scripts/dist --binary $(AGON)

book:
	scripts/check-book

test: setup
	cargo test --workspace --exclude agon-local --no-default-features --features agon/cluster

lint: setup
	cargo fmt --all --check
	cargo clippy --workspace --exclude agon-local --no-default-features --features agon/cluster --all-targets -- --deny warnings
	cargo clippy --release --package agon-local --package agon --all-targets -- --deny warnings

setup:
	scripts/setup
