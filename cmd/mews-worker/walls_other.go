//go:build !linux

package main

import (
	"os/exec"

	"mews/worker/parse"
	"mews/worker/sandbox"
	"mews/worker/serve"
)

const escapeArgument = "escape"

func runEscape(string, string) {}

// addWalls sets the function that starts programs, parsers and readers. They inherit this process's
// walls, which do not restrict signals. This system has no walls to try.
func addWalls(o *serve.Options, _ sandbox.Inherited) {
	o.Start = (*exec.Cmd).Start
}

// limitParser limits nothing on this system.
func limitParser(parse.Kind) error { return nil }
