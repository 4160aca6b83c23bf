//go:build !linux

package main

import (
	"context"
	"os/exec"

	"mews/protocol"
)

const escapeArgument = "escape"

func runEscape(string, string) {}

// programStarter returns the function that starts tools' programs. They inherit this process's
// walls.
func programStarter() func(*exec.Cmd) error { return (*exec.Cmd).Start }

// tryWalls is nil, because this system has no walls to try.
var tryWalls func(context.Context, protocol.TryWallsParams) []protocol.EscapeReport
