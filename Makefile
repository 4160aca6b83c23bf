# Commands for developers of Mews. `make` alone lists them.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c

GO       ?= go
export GO
# The program that runs the tests. .ci/run sets another one, which runs failed tests again and judges them.
GOTEST   ?= $(GO) test
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s
# Limit for the tests of one package. The kill run is the longest.
TIMEOUT  ?= 20m
# Examples: make test TESTFLAGS=-v, or make test TESTFLAGS='-run Kill' PACKAGES=./cmd/mews
TESTFLAGS ?=
PACKAGES  ?= ./...
# benchstat gives no spread for fewer than six.
COUNT     ?= 6

# Packages without the race detector, which would be slow there and find no race of ours. SQLite is C turned into Go, and one goroutine at a
# time uses it. The others compute with values of one goroutine; a test in cmd/mews checks this for our own. No package with a cache belongs
# here, such as encoding/json: the detector would miss its atomic operations, and report races that are none.
UNRACED  := github.com/ncruces/go-sqlite3-wasm/v6/... regexp regexp/syntax time unicode/utf8 github.com/rivo/uniseg \
	compress/... go/ast go/parser go/scanner go/token golang.org/x/image/... image/... strconv \
	mews/supervisor/claim mews/supervisor/github/diff mews/supervisor/github/event mews/supervisor/github/finding \
	mews/supervisor/markdown mews/supervisor/recurrence mews/worker/document mews/worker/page
RACE     := -race $(foreach package,$(UNRACED),-gcflags=$(package)=-race=false)

# A program with the race detector waits a second at its end, for races of other goroutines. The tests leave no goroutines, and start hundreds
# of such programs. (go.dev/doc/articles/race_detector: atexit_sleep_ms)
END_AT_ONCE := GORACE=atexit_sleep_ms=0

# How many parallel tests of one package run at once: the scripts of cmd/mews, which mostly wait.
PARALLEL ?= 4

TOOL := $(GO) tool -modfile=.ci/go.mod

.DEFAULT_GOAL := help
.PHONY: help run build test vet deps tools bench changed nightly scripts properties assertions draw crash escapes diffs live release review-bench pictures lint format fuzz whisper whisper-test clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: build ## build, start the service, and chat with it; leaving the chat stops the service
	@exec bin/mews run --chat

build: ## build the four programs into bin/; needs only Go, no C compiler
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/...

# How CI and `make test` run a test. `make vet` has checked it before. With -trimpath, each clone of the project finds what another one compiled.
AS_TESTED := CGO_ENABLED=1 $(END_AT_ONCE)
TEST_FLAGS = $(RACE) -trimpath -vet=off -timeout $(TIMEOUT) -parallel $(PARALLEL)

# The names in the table of long tests. They run in `make nightly` and, if a watched folder has changed, in `make changed`.
LONG_TESTS := $(shell sed -n 's/^\(Test[A-Za-z0-9_]*\) *|.*/\1/p' .ci/nightly | paste -sd '|' -)

# Runs and judges tests: .ci/verdict/main.go lists its commands.
VERDICT ?= $(GO) -C .ci run ./verdict

test: deps vet ## run all tests except the long ones, with the race detector, which needs cgo and a C compiler
	$(AS_TESTED) $(GOTEST) $(PACKAGES) $(TEST_FLAGS) -skip '^($(LONG_TESTS))$$' $(TESTFLAGS)

changed: deps ## run short forms of the long tests whose folders have changed since they passed in full
	$(AS_TESTED) $(VERDICT) changed $(TEST_FLAGS)

# The time of each fuzz test in `make nightly`.
NIGHTLY_FUZZTIME ?= 1m

nightly: deps ## run the long tests of .ci/nightly in full, keep the commit that passed, and fuzz; LONG=PATTERN runs only some of the tests
	@$(VERDICT) nightly '$(LONG)' -timeout 60m
	@[[ -n '$(LONG)' ]] || $(MAKE) fuzz FUZZTIME='$(NIGHTLY_FUZZTIME)'

scripts: deps ## run the scripts of cmd/mews with the race detector in the program mews; `make test` runs that program without it
	$(AS_TESTED) MEWS_RACE_FLAGS='$(RACE)' $(GO) test ./cmd/mews $(TEST_FLAGS) -run 'TestScripts|TestManual_Examples'

CHECKS ?= 1000

properties: ## try CHECKS=1000 new random courses with each property test; `make test` tries the same ones each time
	@for package in $$(grep -rl --include='*_test.go' internal/fixedseed . | xargs -n 1 dirname | sort -u); do \
		tests=$$(grep -l '"pgregory.net/rapid"' "$$package"/*_test.go | xargs grep -hoE '^func Test[A-Za-z0-9_]+' | cut -c6- | paste -sd '|'); \
		MEWS_SEED=0 $(GO) test -vet=off -timeout 60m "$$package" -run "^($$tests)\$$" -rapid.checks=$(CHECKS) || exit 1; done

crash: ## run the long tests that kill supervisor and workers, such as 10,000 messages on Telegram with 200 kills
	@$(MAKE) nightly LONG='Crash|Kill'

assertions: ## list assertions of tests that HEAD has more or fewer of than BEFORE=COMMIT, without names and literals
	@$(GO) -C .ci run ./assertions '$(BEFORE)'

SEED ?= 1

draw: ## print 100 names, 100 comments and 60 texts drawn by SEED=NUMBER, for a reader who has not seen them
	@$(GO) -C .ci run ./draw '$(SEED)'

# With the flags of build, so that nothing is compiled twice.
vet:
	CGO_ENABLED=0 $(GO) vet -trimpath ./...
# macOS is for development only: its code is compiled here but not run.
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./...

tools: ## vet and test the programs of .ci; they read files outside of their module, which the cache of tests does not watch
	CGO_ENABLED=0 $(GO) -C .ci vet -trimpath ./...
	CGO_ENABLED=0 $(GO) -C .ci test -count=1 -trimpath ./...

deps: ## look for the programs that the tests need; as root with apt-get, install them
	@.ci/deps

bench: ## measure, and print the medians beside those kept in cmd/mews/testdata/last.txt and the goals in goals.txt
	@GO='$(GO)' COUNT='$(COUNT)' .ci/bench

escapes: ## try every known way out of the walls, in every tier, with the walls in place and taken away
	$(GO) test -count=1 -v -run TestEscapes_EachTier_StopsItsProbes ./worker/sandbox
	@$(MAKE) nightly LONG=WallsRemoved

# The commits, as arguments of git log: make diffs REPO=../linux COMMITS='-n 5000 v6.1'
COMMITS ?= --all

diffs: ## parse every commit of the repository REPO=PATH, and compare the result with the output of git
	@[[ -n '$(REPO)' ]] || { echo 'which repository? make diffs REPO=PATH' >&2; exit 1; }
	MEWS_DIFFS="$$(realpath '$(REPO)')" MEWS_DIFFS_COMMITS='$(COMMITS)' $(GO) test -count=1 -timeout 60m -v -run TestDiff_AgreesWithGit ./supervisor/github/diff

live: ## try a short conversation with each real provider whose key is set (ANTHROPIC_API_KEY, OPENAI_API_KEY)
	MEWS_LIVE=1 $(GO) test -count=1 -v -run TestLive_RealProviders_CallATool ./cmd/mews

# BENCH is a clone of github.com/withmartian/code-review-benchmark. Beside its golden_comments (or offline/golden_comments) it has
# diffs/OWNER-REPO-NUMBER.diff of each pull request, and clean/NAME.diff, in which nothing is wrong. The error names missing files and the
# command that gets them. MEWS_REVIEWER is the reviewing model, and MEWS_JUDGES are the judges: anthropic/MODEL or openai/MODEL, with commas.
review-bench: ## review a public bench's pull requests below BENCH=PATH, and print precision, recall and F1; with keys as for live
	@[[ -n '$(BENCH)' ]] || { echo 'which bench? make review-bench BENCH=PATH' >&2; exit 1; }
	MEWS_REVIEW_BENCH="$$(realpath '$(BENCH)')" $(GO) test -count=1 -timeout 24h -parallel 4 -v -run 'TestReviewBench_PublicPulls_AreScored$$' ./cmd/mews

RELEASE ?= bin/release

release: ## make archives for amd64 and arm64 of VERSION=v1.2.3 into bin/release or RELEASE=FOLDER; KEYS=FOLDER signs them
	@deploy/make-release '$(VERSION)' '$(RELEASE)'

pictures: ## draw the pictures of the README and the manual again, from a real chat in a terminal and one on a fake Telegram
	@mkdir -p cmd/mews/manual/pictures
	MEWS_PICTURES="$$(realpath cmd/mews/manual/pictures)" $(GO) test -count=1 -run TestManualPictures ./cmd/mews

lint: format ## check with gofmt, and with the staticcheck of .ci/go.mod
	CGO_ENABLED=0 GOFLAGS="$$($(GO) env GOFLAGS) -trimpath" $(TOOL) staticcheck ./...
	cd .ci && CGO_ENABLED=0 GOFLAGS="$$($(GO) env GOFLAGS) -trimpath" $(GO) tool staticcheck ./...

format:
	@files=$$(gofmt -l .); [[ -z $$files ]] || { echo "not formatted; run gofmt -w on:"; echo "$$files"; exit 1; }

fuzz: ## run every fuzz test for FUZZTIME (10s)
	@GO='$(GO)' FUZZTIME='$(FUZZTIME)' .ci/fuzz

# The folder of whisper-cli, and the number of sentences that it transcribes.
WHISPER        ?= bin
MEWS_SENTENCES ?= 200

whisper: ## build whisper.cpp's whisper-cli for voice messages, into bin/ or WHISPER=FOLDER; takes 1 to 2 minutes, cmake and g++
	@deploy/build-whisper '$(WHISPER)'

whisper-test: ## transcribe 200 sentences with the real whisper-cli; MEWS_WHISPER_MODEL=FILE prints the word error rate of a model
	@[[ -x '$(WHISPER)/whisper-cli' ]] || $(MAKE) whisper
	MEWS_WHISPER="$$(realpath '$(WHISPER)')/whisper-cli" MEWS_SENTENCES=$(MEWS_SENTENCES) $(GO) test -count=1 -v \
		-run 'TestFakeWhisper_HasOptionsOfRealOne|TestRealWhisper_NoTensors_ExitsWithZero|TestRealModel_Sentences_AreUnderstood|TestTranscribe_VoiceMessage_KeepsMostWords|TestSpeechPrograms_BehindWalls_Work' ./worker/speech ./worker/spawn

clean: ## remove bin/
	rm -rf bin
