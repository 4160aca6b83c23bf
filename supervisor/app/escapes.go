package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sys/unix"

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

// try is what a worker that is nobody's must not get out of, before there is any other.
func (c *chambers) try(ctx context.Context, worker *PooledWorker) (err error) {
	tier := c.spawner.Sandbox().Tier
	if tier == "off" { // the attempts are at what Linux has
		return nil
	}
	findings, err := Escapes(ctx, worker, c.config.State, c.workers, false)
	if err != nil {
		return err
	}
	for _, f := range Holes(tier, findings) {
		c.log.Error("a wall does not hold", "tier", tier, "row", f.Row, "what", f.What, "outcome", f.Outcome, "detail", f.Detail)
		err = errors.Join(err, fmt.Errorf("%s: %s: %s: %s", f.Row, f.Outcome, f.What, f.Detail))
	}
	if err != nil {
		return fmt.Errorf("the walls %q do not hold here, and nobody is served behind them: %w\n"+
			"`mews doctor --escapes` tries everything; worker.sandbox names other walls", tier, err)
	}
	c.log.Debug("the walls hold", "tier", tier, "tried", len(findings))
	return nil
}

// Holes are the attempts, of those that are made at every start, that nothing has stopped which should: they got out, or could
// not be made, and so say nothing of their wall.
func Holes(tier string, findings []protocol.Finding) []protocol.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f protocol.Finding) bool {
		return f.Outcome == protocol.OutcomeStopped || escapesKnown[tier][f.Row] != ""
	})
}

// Escapes has a worker of an account try to get out.
func Escapes(ctx context.Context, worker *PooledWorker, state string, whose Account, all bool) (findings []protocol.Finding, err error) {
	v, err := NewVictims(state, whose)
	if err != nil {
		return nil, fmt.Errorf("make what a worker must not reach: %w", err)
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	var tried protocol.TriedWalls
	err = worker.Call(ctx, protocol.MethodTryWalls, protocol.TryWalls{All: all, Victims: v.Victims}, &tried)
	if err == nil && len(tried.Findings) == 0 {
		err = errors.New("the worker tried nothing")
	}
	return tried.Findings, err
}

// AfterTheEnd completes the findings once the worker has ended: whether what it left behind still keeps the marker locked.
func AfterTheEnd(findings []protocol.Finding, marker string) {
	i := slices.IndexFunc(findings, func(f protocol.Finding) bool { return f.Row == "X1" && f.Outcome == protocol.OutcomeUntried })
	if i < 0 {
		return
	}
	file, err := os.OpenFile(marker, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0) // it is the worker's: it may be anything
	if err != nil {
		return // why there is none the worker has said
	}
	defer file.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	switch err := unix.FcntlFlock(file.Fd(), unix.F_GETLK, &lock); {
	case err != nil:
		findings[i].Detail = fmt.Sprintf("ask for the lock of %s: %v", marker, err)
	case lock.Type == unix.F_UNLCK:
		findings[i].Outcome, findings[i].Detail = protocol.OutcomeStopped, "the daemon ended with its worker"
	default:
		findings[i].Outcome, findings[i].Detail = protocol.OutcomeEscaped, fmt.Sprintf("the daemon lives on as process %d", lock.Pid)
	}
}

// WriteEscapes shows what came of every attempt, and says how many got out that should not have.
func WriteEscapes(w io.Writer, tier string, findings []protocol.Finding) (bad int) {
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
