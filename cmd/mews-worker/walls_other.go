//go:build !linux

package main

import (
	"context"
	"os/exec"

	"mews/protocol"
	"mews/worker/parse"
)

const escapeArgument = "escape"

func runEscape(string, string) {}

// programWalls returns the functions that start tools' programs and parsers. The programs and
// parsers inherit this process's walls, which do not restrict signals.
func programWalls() (tool, parser func(*exec.Cmd) error, killAll func() error) {
	return (*exec.Cmd).Start, (*exec.Cmd).Start, nil
}

// limitParser limits nothing on this system.
func limitParser(parse.Kind) error { return nil }

// tryWalls is nil, because this system has no walls to try.
var tryWalls func(context.Context, protocol.TryWallsParams) []protocol.EscapeReport
