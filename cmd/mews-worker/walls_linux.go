package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol"
	"mews/worker/parse"
	"mews/worker/sandbox"
	"mews/worker/sandbox/escape"
	"mews/worker/serve"
)

// escapeArgument is the argument that makes this program try one escape.
const escapeArgument = "escape"

// addWalls sets the functions that start tools' programs, parsers and readers, within a second
// layer of this process's walls, that kill them all, and that try to escape. The environment names
// the walls' tier; a process started by hand has no walls.
func addWalls(o *serve.Options, inherited sandbox.Inherited) {
	s := sandbox.NewToolStarter(sandbox.Tier(os.Getenv(sandbox.TierVariable)), inherited.ToolRules)
	o.Start, o.StartParser, o.StartReader, o.KillAll = s.Start, s.StartParser, s.StartReader, s.KillAll
	w := &wallTester{starter: s, history: inherited.History}
	o.Try = w.try
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

// wallTester tries to escape from this process's walls.
type wallTester struct {
	starter *sandbox.ToolStarter
	history *os.File // open folder of the file history; nil means none
}

// try tries each row of the escapes in a separate process.
func (w *wallTester) try(ctx context.Context, try protocol.TryWallsParams) []protocol.EscapeReport {
	v := escapeVictims(try.Victims)
	if w.history == nil {
		v.History = "" // the rows about the history are then not tried
	} else if err := w.keepSecret(v.Secret); err != nil {
		logError(err)
		v.History = ""
	}
	var list []protocol.EscapeReport
	for _, p := range escape.AllProbes() {
		if !p.Core && !try.All {
			continue
		}
		f := w.tryRow(ctx, p, v)
		list = append(list, protocol.EscapeReport{Row: p.Row, What: p.What, Outcome: string(f.Outcome),
			Detail: f.Detail})
	}
	return list
}

// keepSecret writes the secret into the file history, for the rows that try to reach it. It
// replaces the file of an earlier worker, which may belong to another account after a restore of a
// backup.
func (w *wallTester) keepSecret(secret string) error {
	folder := int(w.history.Fd())
	if err := unix.Unlinkat(folder, escape.HistoryFile, 0); err != nil && err != unix.ENOENT {
		return fmt.Errorf("delete from the file history: %w", err)
	}
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC
	fd, err := unix.Openat(folder, escape.HistoryFile, flags, 0o600)
	if err != nil {
		return fmt.Errorf("write to the file history: %w", err)
	}
	file := os.NewFile(uintptr(fd), escape.HistoryFile)
	_, err = file.WriteString(secret)
	return errors.Join(err, file.Close())
}

func (w *wallTester) tryRow(ctx context.Context, p escape.Probe, v escape.Victims) escape.Report {
	bounded, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	var out bytes.Buffer
	row, cmd := p.Row, exec.CommandContext(bounded, "/proc/self/exe", escapeArgument, p.Row, v.Encode())
	cmd.Stdout = &out
	start := cmd.Start
	if p.Program {
		start = func() error { return w.starter.StartProbe(cmd) }
	}
	err := start()
	if err == nil {
		err = cmd.Wait()
	}
	f, bad := escape.DecodeReport(strings.TrimSpace(out.String()))
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
		Socket: v.Socket, History: v.History, Workspace: home, Marker: filepath.Join(home, protocol.DaemonMarkerFile),
	}
}
