# The commands for people who work on Mews. `make` alone lists them.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c

GO       ?= go
export GO
# The program that runs the tests. .ci/run sets another, which runs failed tests again and judges them.
GOTEST   ?= $(GO) test
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s
# For the tests of one package. The kill run is the longest.
TIMEOUT  ?= 14m
# Examples: make test TESTFLAGS=-v, or make test TESTFLAGS='-run Kill' PACKAGES=./cmd/mews
TESTFLAGS ?=
PACKAGES  ?= ./...
# benchstat gives no spread for fewer than six.
COUNT     ?= 6

# What is not looked at by the race detector, which would take much of the tests' time there and show nothing of ours: SQLite, which is C turned
# into Go and used by one goroutine at a time, and what computes with values that nobody else has.
UNRACED  := github.com/ncruces/go-sqlite3-wasm/v6/... regexp regexp/syntax time unicode/utf8 github.com/rivo/uniseg
RACE     := -race $(foreach package,$(UNRACED),-gcflags=$(package)=-race=false)

# A program with the race detector waits a second before it ends, for races of goroutines that are left. The tests leave none, and start
# hundreds of such programs. (go.dev/doc/articles/race_detector: atexit_sleep_ms)
END_AT_ONCE := GORACE=atexit_sleep_ms=0

# How many tests of one package run beside one another, of those that may: the scripts of cmd/mews, which wait for most of their time.
PARALLEL ?= 4

TOOL := $(GO) tool -modfile=.ci/go.mod

.DEFAULT_GOAL := help
.PHONY: help run build test vet deps tools bench changed nightly assertions draw crash escapes diffs live review-bench pictures lint format fuzz whisper whisper-test clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: build ## build, start the service, and chat with it; leaving the chat ends what was started
	@exec bin/mews run --chat

build: ## the three programs, into bin/; needs Go alone, no C compiler
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/...

# How CI and `make test` run a test. `make vet` has looked at it before.
AS_TESTED := CGO_ENABLED=1 MEWS_RACE_FLAGS='$(RACE)' $(END_AT_ONCE)
TEST_FLAGS = $(RACE) -vet=off -timeout $(TIMEOUT) -parallel $(PARALLEL)

# The names in the table of long tests. They run in `make nightly` and, if what they watch has changed, in `make changed`.
LONG_TESTS := $(shell sed -n 's/^\(Test[A-Za-z0-9_]*\) *|.*/\1/p' .ci/nightly | paste -sd '|' -)

# Runs and judges tests: .ci/verdict/main.go lists its commands.
VERDICT ?= $(GO) -C .ci run ./verdict

test: deps vet ## all tests but the long ones, with the race detector, which needs cgo and a C compiler
	$(AS_TESTED) $(GOTEST) $(PACKAGES) $(TEST_FLAGS) -skip '^($(LONG_TESTS))$$' $(TESTFLAGS)

changed: deps ## short forms of the long tests whose folders have changed since they passed in full
	$(AS_TESTED) $(VERDICT) changed $(TEST_FLAGS)

nightly: deps ## the long tests of .ci/nightly in full, and keep the commit that passed; LONG=PATTERN for some of them
	@$(VERDICT) nightly '$(LONG)' -timeout 60m

crash: ## the long tests that kill supervisor and workers, such as 10,000 messages on Telegram with 200 kills
	@$(MAKE) nightly LONG='Crash|Kill'

assertions: ## what BEFORE=COMMIT has more or fewer of than HEAD: assertions of tests, without names and literals
	@$(GO) -C .ci run ./assertions '$(BEFORE)'

SEED ?= 1

draw: ## 100 names, 100 comments and 60 texts drawn by SEED=NUMBER, for somebody to read who has not seen them
	@$(GO) -C .ci run ./draw '$(SEED)'

# With build's flags, so that nothing is compiled twice.
vet:
	CGO_ENABLED=0 $(GO) vet -trimpath ./...
# macOS is for development: its code is compiled here, and not run.
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./...

tools: ## vet and test the programs of .ci
	CGO_ENABLED=0 $(GO) -C .ci vet -trimpath ./...
	CGO_ENABLED=0 $(GO) -C .ci test -trimpath ./...

deps: ## look for what the tests need; install it as root where there is apt-get
	@.ci/deps

bench: ## measure, and print the medians beside those kept in cmd/mews/testdata/last.txt and the goals in goals.txt
	@GO='$(GO)' COUNT='$(COUNT)' .ci/bench

escapes: ## try every known way out of the walls, in every tier, with the walls in place and taken away
	$(GO) test -count=1 -v -run TestEscapes_EachTier_StopsRows ./worker/sandbox
	@$(MAKE) nightly LONG=WallsTakenAway

# Which commits, as git log takes them: make diffs REPO=../linux COMMITS='-n 5000 v6.1'
COMMITS ?= --all

diffs: ## read every commit of the repository REPO=PATH, and compare what is read with all that git says of it
	@[[ -n '$(REPO)' ]] || { echo 'which repository? make diffs REPO=PATH' >&2; exit 1; }
	MEWS_DIFFS="$$(realpath '$(REPO)')" MEWS_DIFFS_COMMITS='$(COMMITS)' $(GO) test -count=1 -timeout 60m -v -run TestDiff_AgreesWithGit ./supervisor/github/diff

live: ## a short conversation with each real provider whose key is set (ANTHROPIC_API_KEY, OPENAI_API_KEY)
	MEWS_LIVE=1 $(GO) test -count=1 -v -run TestLive ./cmd/mews

# BENCH is a clone of github.com/withmartian/code-review-benchmark. Beside its golden_comments (or offline/golden_comments) it has
# diffs/OWNER-REPO-NUMBER.diff of each pull request, and clean/NAME.diff, in which nothing is wrong. What is missing is said, with the command
# that gets it. MEWS_REVIEWER is the model that reviews, and MEWS_JUDGES are those that judge: anthropic/MODEL or openai/MODEL, with commas.
review-bench: ## review a public bench's pull requests below BENCH=PATH, and print precision, recall and F1; with keys as for live
	@[[ -n '$(BENCH)' ]] || { echo 'which bench? make review-bench BENCH=PATH' >&2; exit 1; }
	MEWS_REVIEW_BENCH="$$(realpath '$(BENCH)')" $(GO) test -count=1 -timeout 24h -parallel 4 -v -run 'TestReviewBench$$' ./cmd/mews

pictures: ## draw the pictures of the README and the manual anew, from a real chat in a terminal and one on a fake of Telegram
	@mkdir -p cmd/mews/manual/pictures
	MEWS_PICTURES="$$(realpath cmd/mews/manual/pictures)" $(GO) test -count=1 -run TestPictures ./cmd/mews

lint: format ## gofmt, and staticcheck as .ci/go.mod pins it
	CGO_ENABLED=0 GOFLAGS="$$($(GO) env GOFLAGS) -trimpath" $(TOOL) staticcheck ./...
	cd .ci && CGO_ENABLED=0 GOFLAGS="$$($(GO) env GOFLAGS) -trimpath" $(GO) tool staticcheck ./...

format:
	@files=$$(gofmt -l .); [[ -z $$files ]] || { echo "not formatted; run gofmt -w on:"; echo "$$files"; exit 1; }

fuzz: ## every fuzz test for FUZZTIME each (10s)
	@GO='$(GO)' FUZZTIME='$(FUZZTIME)' .ci/fuzz

# Where whisper-cli is put, and how many sentences are said to it.
WHISPER        ?= bin
MEWS_SENTENCES ?= 200

whisper: ## build whisper.cpp's whisper-cli for voice messages, into bin/ or WHISPER=FOLDER; takes 1 to 2 minutes, cmake and g++
	@deploy/build-whisper '$(WHISPER)'

whisper-test: ## hear with the real whisper-cli, and 200 sentences; MEWS_WHISPER_MODEL=FILE prints the word error rate of a model
	@[[ -x '$(WHISPER)/whisper-cli' ]] || $(MAKE) whisper
	MEWS_WHISPER="$$(realpath '$(WHISPER)')/whisper-cli" MEWS_SENTENCES=$(MEWS_SENTENCES) $(GO) test -count=1 -v \
		-run 'TestStandIn_HasRealOptions|TestRealWhisper_NoTensors_ExitsWithZero|TestRealModel_Sentences_AreUnderstood|TestTranscribe_VoiceMessage_KeepsMostWords|TestSpeech_BehindWalls_Works' ./worker/speech ./worker/spawn

clean: ## remove what make build made
	rm -rf bin
