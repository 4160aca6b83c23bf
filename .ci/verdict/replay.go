package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Patterns of the random seeds that tests print. They match our own form, rapid's form, and plain
// text. A seed in plain text is written in the test's code, so a replay sets no variable.
var (
	seedVariable = regexp.MustCompile(`\bMEWS_[A-Z_]+=[0-9]+\b`)
	seedFlag     = regexp.MustCompile(`-rapid\.seed=[0-9]+\b`)
	seedText     = regexp.MustCompile(`(?i)\bseed[ =:]+[0-9]+\b`)
)

// replays returns the commands that repeat a failed test, one for each seed that it printed. Each
// command sets the variables in env.
func replays(t *testResult, env []string) (commands []string) {
	output := t.output.String()
	alone := func(name string) string { return strings.Join(append(goTest(name, t.in.folder), "-v"), " ") }
	command := strings.Join(append(slices.Clone(env), alone(t.name)), " ")
	for _, variable := range seedVariable.FindAllString(output, -1) {
		commands = append(commands, variable+" "+command)
	}
	for _, flag := range seedFlag.FindAllString(output, -1) {
		commands = append(commands, command+" "+flag)
	}
	if strings.HasPrefix(t.name, "Fuzz") {
		for _, name := range t.failed[:max(1, len(t.failed)-1)] { // the last failed name is the fuzz test itself
			commands = append(commands, alone(name))
		}
	}
	if len(commands) == 0 {
		for _, seed := range seedText.FindAllString(output, -1) {
			commands = append(commands, fmt.Sprintf("%s # %s", command, seed))
		}
	}
	slices.Sort(commands)
	return slices.Compact(commands)
}

// goTest returns the arguments of a shell command that runs one test or subtest.
func goTest(name, folder string) []string {
	return []string{"go", "test", "-count=1", "-run", "'" + exactly(name) + "'", folder}
}

// exactly returns the pattern for -run that matches one test or subtest.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
