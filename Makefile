# What a person who works on Mews types. `make` alone lists it.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c

GO       ?= go
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s
# Of one package. The kill run is the longest.
TIMEOUT  ?= 8m
# For example: make test TESTFLAGS=-v, or make test TESTFLAGS='-run Kill' PACKAGES=./cmd/mews
TESTFLAGS ?=
PACKAGES  ?= ./...
# Fewer than six and benchstat gives no spread.
COUNT     ?= 6

TOOL := $(GO) tool -modfile=tools/go.mod

.DEFAULT_GOAL := help
.PHONY: help run build test vet deps bench lint format fuzz clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: build ## build, start the service, and chat with it; leaving the chat ends what was started
	@exec bin/mews run --chat

build: ## the three programs, into bin/; needs Go alone, no C compiler
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/ ./cmd/...

test: deps vet ## all tests, with the race detector, which needs cgo and a C compiler
	CGO_ENABLED=1 $(GO) test -race -timeout $(TIMEOUT) $(TESTFLAGS) $(PACKAGES)

vet:
	$(GO) vet ./...

deps: ## look for what the tests need; install it where this is root and there is apt-get
	@.ci/deps

bench: ## measure, and print the medians beside the figures kept in bench/last.txt
	@GO='$(GO)' COUNT='$(COUNT)' .ci/bench

lint: format ## gofmt, and staticcheck as tools/go.mod pins it
	$(TOOL) staticcheck ./...

format:
	@files=$$(gofmt -l .); [[ -z $$files ]] || { echo "not formatted; run gofmt -w on:"; echo "$$files"; exit 1; }

fuzz: ## every fuzz test for FUZZTIME each (10s)
	@GO='$(GO)' FUZZTIME='$(FUZZTIME)' .ci/fuzz

clean: ## remove what make build made
	rm -rf bin
