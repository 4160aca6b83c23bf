package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"mews/protocol"
)

// escapesKnown are the attempts that a tier is known not to stop, and why.
var escapesKnown = map[string]map[string]string{
	"accounts":   {"F16": bootID},
	"namespaces": {"F16": bootID},
	"landlock": {
		"F16": bootID,
		"F6":  "other processes of the account are listed, and the names of what they have open",
		"F14": "processes are listed",
		"X1":  "a daemon may outlive its worker until Mews has ended it",
	},
}

const bootID = "a number that says when the machine was started"

// victims are what a worker tries to reach, and what stands behind them.
type victims struct {
	protocol.Victims
	dir       string
	listeners []net.Listener
	serving   sync.WaitGroup
}

// newVictims makes them in a folder of their own; close clears them away.
func newVictims(state string) (v *victims, err error) {
	v = &victims{}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.close())
		}
	}()
	sweepVictims(os.TempDir(), filepath.Join(state, "private"), time.Now())
	if v.dir, err = os.MkdirTemp("", victimsPrefix); err != nil {
		return v, err
	}
	v.Secret, v.Supervisor, v.Process = rand.Text(), os.Getpid(), os.Getpid()
	if v.PIDNamespace, err = os.Readlink("/proc/self/ns/pid"); err != nil {
		return v, err
	}
	if v.StateFile = filepath.Join(state, "private", canaryPrefix+v.Secret); v.keep(v.StateFile) != nil {
		v.StateFile = "" // there is no state folder yet
	}
	v.OwnOutside = filepath.Join(v.dir, "outside")
	v.Socket, v.Abstract = filepath.Join(v.dir, "socket"), "mews-victim-"+v.Secret
	return v, errors.Join(v.keep(v.OwnOutside), v.listen("tcp", "127.0.0.1:0"), v.listen("unix", v.Socket),
		v.listen("unix", "@"+v.Abstract))
}

// What victims are called in the folder of temporary files, and in the state's.
const (
	victimsPrefix = "mews-victims-"
	canaryPrefix  = "canary-"
)

// victimsOld is how old what somebody else has made must be to be taken for left over: trying takes seconds.
const victimsOld = time.Hour

// sweepVictims removes what runs that were killed have left: of this account alone, and old. What can't be removed stays,
// for the next run.
func sweepVictims(temporary, private string, now time.Time) {
	for _, left := range []struct {
		dir, prefix string
		folder      bool
	}{{temporary, victimsPrefix, true}, {private, canaryPrefix, false}} {
		entries, _ := os.ReadDir(left.dir) // there may be no such folder yet
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && strings.HasPrefix(e.Name(), left.prefix) && info.IsDir() == left.folder &&
				uidOf(info) == uint32(os.Getuid()) && now.Sub(info.ModTime()) > victimsOld {
				_ = os.RemoveAll(filepath.Join(left.dir, e.Name()))
			}
		}
	}
}

// keep writes the secret into a file.
func (v *victims) keep(path string) error { return os.WriteFile(path, []byte(v.Secret), 0o600) }

// listen tells the secret to whoever connects.
func (v *victims) listen(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	if network == "tcp" {
		v.TCP = l.Addr().String()
	}
	v.listeners = append(v.listeners, l)
	v.serving.Go(func() { // ends with the listener
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, v.Secret)
			_ = conn.Close()
		}
	})
	return nil
}

func (v *victims) close() error {
	var errs []error
	for _, l := range v.listeners {
		errs = append(errs, l.Close())
	}
	v.serving.Wait()
	if v.StateFile != "" {
		errs = append(errs, os.Remove(v.StateFile))
	}
	return errors.Join(append(errs, os.RemoveAll(v.dir))...)
}

// try is what a worker that is nobody's must not get out of, before there is any other.
func (c *chambers) try(ctx context.Context, worker *protocol.Conn) (err error) {
	tier := c.spawner.Walls().Tier
	if tier == "off" || tier == "seatbelt" { // the attempts are at what Linux has
		return nil
	}
	findings, err := escapes(ctx, worker, c.config.State, false)
	if err != nil {
		return err
	}
	for _, f := range findings {
		if f.Outcome == protocol.OutcomeEscaped && escapesKnown[tier][f.Row] == "" {
			c.log.Error("a wall does not hold", "tier", tier, "row", f.Row, "what", f.What, "detail", f.Detail)
			err = errors.Join(err, fmt.Errorf("%s: %s: %s", f.Row, f.What, f.Detail))
		}
	}
	if err != nil {
		return fmt.Errorf("the walls %q do not hold here, and nobody is served behind them: %w\n"+
			"`mews doctor --escapes` tries everything; worker.sandbox names other walls", tier, err)
	}
	c.log.Debug("the walls hold", "tier", tier, "tried", len(findings))
	return nil
}

// escapes has a worker try to get out.
func escapes(ctx context.Context, worker *protocol.Conn, state string, all bool) (findings []protocol.Finding, err error) {
	v, err := newVictims(state)
	if err != nil {
		return nil, fmt.Errorf("make what a worker must not reach: %w", err)
	}
	defer func() { err = errors.Join(err, v.close()) }()
	var tried protocol.TriedWalls
	err = worker.Call(ctx, protocol.MethodTryWalls, protocol.TryWalls{All: all, Victims: v.Victims}, &tried)
	if err == nil && len(tried.Findings) == 0 {
		err = errors.New("the worker tried nothing")
	}
	return tried.Findings, err
}

// writeEscapes shows what came of every attempt, and says how many got out that should not have.
func writeEscapes(w io.Writer, tier string, findings []protocol.Finding) (bad int) {
	marks := map[string]string{protocol.OutcomeStopped: "stopped", protocol.OutcomeUntried: "not tried"}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	counts := map[string]int{}
	for _, f := range findings {
		mark := marks[f.Outcome]
		if f.Outcome == protocol.OutcomeEscaped {
			mark = "ESCAPED"
			if known := escapesKnown[tier][f.Row]; known != "" {
				mark, f.Detail = "known", known
			} else {
				bad++
			}
		}
		counts[mark]++
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Row, mark, f.What, strings.ReplaceAll(f.Detail, "\n", " "))
	}
	_ = t.Flush()
	fmt.Fprintf(w, "\n%d attempts in tier %s: %d stopped, %d known not to be, %d not tried here, %d ESCAPED\n", len(findings), tier,
		counts["stopped"], counts["known"], counts["not tried"], bad)
	return bad
}
