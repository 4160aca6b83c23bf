package main

import (
	"regexp"
	"slices"
	"strings"
)

// Patterns for failed tests that never run again. A lucky pass may hide a fault of the product. If
// a test whose name has a word of finalNames is renamed, the new name must have that word too.
var (
	finalNames   = regexp.MustCompile(`Crash|Kill|Commit|Escape|Wall|Race|Fuzz|Property|Neighbour`)
	finalFolders = []string{"./worker/sandbox", "./worker/spawn", "./supervisor/sqlite", "./supervisor/internal/engine",
		"./worker/filehistory"}
	finalOutput = regexp.MustCompile(`(?i)seed|lost|twice`)
	// The beginning of a panic, in the output of a failed test or of a program that it started.
	panicOutput = regexp.MustCompile(`(?m)^\s*(panic|fatal error): `)
	// Lines that package testing prints around a test. They contain the test's name.
	frameOutput = regexp.MustCompile(`(?m)^\s*(=== |--- ).*$`)
)

// finalReason returns why a failed test is not run again, or "" if it may be.
func finalReason(t *testResult) string {
	failed := strings.Join(t.failed, " ")
	output := frameOutput.ReplaceAllString(t.output.String(), "")
	for _, rule := range []struct {
		holds  bool
		reason string
	}{
		{t.in.raced, "a DATA RACE in its package"},
		{!t.in.regular, "its package ended too early: a panic, an exit or a timeout"},
		{panicOutput.MatchString(output), "a panic in its output"},
		{finalNames.MatchString(failed), "its name has " + finalNames.FindString(failed)},
		{isBelow(t.in.folder, finalFolders), "tests in this folder never are"},
		{finalOutput.MatchString(output), "its output has " + finalOutput.FindString(output)},
	} {
		if rule.holds {
			return rule.reason
		}
	}
	return ""
}

// packageFault returns why the tests of a package have failed as a whole, or "" if they have not.
func packageFault(p *packageResult) string {
	failed := slices.ContainsFunc(p.tests, func(t *testResult) bool { return t.state == "fail" })
	for _, rule := range []struct {
		holds bool
		fault string
	}{
		{!p.built, "it does not build"},
		{p.raced, "a DATA RACE"},
		{p.state == "", "it did not end"},
		{p.state == "fail" && !failed, "it failed without a failed test: TestMain, a leak, a panic, an exit or a timeout"},
		{p.state == "fail" && !p.regular, "it ended too early: a panic, an exit or a timeout"},
	} {
		if rule.holds {
			return rule.fault
		}
	}
	return ""
}

// isBelow reports whether a folder is one of the folders in others, or inside one of these.
func isBelow(folder string, others []string) bool {
	for _, other := range others {
		if strings.HasPrefix(folder+"/", other+"/") {
			return true
		}
	}
	return false
}
