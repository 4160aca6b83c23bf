package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker/parse"
	"mews/worker/sandbox"
	"mews/worker/sandbox/escape"
)

// escapeArgument is the argument that makes this program try one escape.
const escapeArgument = "escape"

// programWalls returns the functions that start tools' programs and parsers, within a second layer
// of this process's walls, and the function that kills them all. The environment names the walls'
// tier; a process started by hand has no walls.
func programWalls() (tool, parser func(*exec.Cmd) error, killAll func() error) {
	s := sandbox.NewToolStarter(sandbox.Tier(os.Getenv(sandbox.TierVariable)))
	return s.Start, s.StartParser, s.KillAll
}

// limitParser limits this process, which parses a file. The worker ends it after parse.Timeout.
func limitParser(k parse.Kind) error {
	return sandbox.LimitParser(parse.ParserMemory(k), 2*parse.Timeout)
}

// runEscape tries one row of the escapes in this process, which the attempt may kill.
func runEscape(row, victims string) {
	v, err := escape.DecodeVictims(victims)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mews-worker:", err)
		os.Exit(1)
	}
	fmt.Println(escape.TryProbe(row, v).Encode())
}

// attemptLimit is how long one attempt may take.
const attemptLimit = 10 * time.Second

// tryWalls tries each row of the escapes in a separate process.
func tryWalls(ctx context.Context, try protocol.TryWallsParams) []protocol.EscapeReport {
	v := escapeVictims(try.Victims)
	var list []protocol.EscapeReport
	for _, p := range escape.AllProbes() {
		if !p.Core && !try.All {
			continue
		}
		f := tryRow(ctx, p.Row, v)
		list = append(list, protocol.EscapeReport{Row: p.Row, What: p.What, Outcome: string(f.Outcome),
			Detail: f.Detail})
	}
	return list
}

func tryRow(ctx context.Context, row string, v escape.Victims) escape.Report {
	bounded, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	out, err := exec.CommandContext(bounded, "/proc/self/exe", escapeArgument, row, v.Encode()).Output()
	f, bad := escape.DecodeReport(strings.TrimSpace(string(out)))
	ended := new(exec.ExitError)
	switch {
	case bad == nil:
		return f
	case bounded.Err() != nil: // the attempt took too long: the outcome is not known
		err = bounded.Err()
	case errors.As(err, &ended) && ended.ExitCode() < 0: // a signal ended the attempt, such as from a seccomp filter
		return escape.NewDeathReport(row, err.Error())
	}
	return escape.Report{Row: row, Outcome: escape.OutcomeUntried, Detail: fmt.Sprintf("its process could not try: %v",
		errors.Join(err, bad))}
}

// escapeVictims converts the victims of a request to the type of package escape.
func escapeVictims(v protocol.EscapeVictims) escape.Victims {
	home, _ := os.Getwd()
	return escape.Victims{
		Secret: v.Secret, SupervisorPID: v.Supervisor, VictimPID: v.Process, PIDNamespace: v.PIDNamespace, Worker: os.Getpid(),
		OtherHome: v.OtherHome, OwnOutside: v.OwnOutside, SecretFile: v.StateFile, TCP: v.TCP, Abstract: v.Abstract,
		Socket: v.Socket, Workspace: home, Marker: filepath.Join(home, protocol.DaemonMarkerFile),
	}
}
