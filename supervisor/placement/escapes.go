package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"mews/protocol"
)

// KnownEscapes lists the escape attempts that each tier does not stop, with the reason.
var KnownEscapes = map[string]map[string]string{
	"accounts":   {"F16": bootID, "Q6": ownPool}, // row Q6 does not escape if user namespaces are off
	"namespaces": {"F16": bootID},
	"landlock": {
		"F16": bootID,
		"F6":  "other processes of the account are listed, and the names of what they have open",
		"F14": "processes are listed",
		"H3":  historyModes,
		"H4":  historyModes,
		"Q5":  "the terminals are the machine's; one who has more than 64 is ended within seconds",
		"X1":  "a daemon may outlive its worker until Mews has ended it",
	},
}

const (
	bootID       = "a number that says when the machine was started"
	historyModes = "modes and times are not governed by Landlock; programs can neither read nor write the file history"

	ownPool = "what it takes is counted for the worker's account, which is one person's unless several share it"
)

// WorkerCaller calls the worker that attempts the escapes.
type WorkerCaller interface {
	Call(ctx context.Context, method string, params, result any) error
}

// RunSelfTest lets a worker without a user attempt escapes, before any other worker runs. An error
// names the walls that failed.
func (c *WorkerLocations) RunSelfTest(ctx context.Context, worker WorkerCaller) (err error) {
	tier := c.Spawner.Sandbox().Tier
	if tier == "off" { // nothing to test: without a sandbox, or on a system other than Linux
		return nil
	}
	findings, err := TryEscapes(ctx, worker, c.State, c.Workers, false)
	if err != nil {
		return err
	}
	holes := SandboxHoles(tier, findings)
	for _, f := range holes {
		c.Log.Error("a wall does not hold", "tier", tier, "row", f.Row, "what", f.What, "outcome", f.Outcome, "detail", f.Detail)
		err = errors.Join(err, fmt.Errorf("%s: %s: %s: %s", f.Row, f.Outcome, f.What, f.Detail))
	}
	if err != nil {
		return fmt.Errorf(holesText(holes), tier, err)
	}
	c.Log.Debug("the walls hold", "tier", tier, "tried", len(findings))
	return nil
}

// holesText returns the format of the text about the sandbox's holes. It takes the tier and the
// findings. The text suggests weaker walls only if the walls themselves are the reason.
func holesText(holes []protocol.EscapeReport) string {
	text := textUntried
	for _, f := range holes {
		if f.Outcome == protocol.EscapeSucceeded {
			return textHoles
		}
		if strings.Contains(f.Detail, syscall.ENOSPC.Error()) || strings.Contains(f.Detail, syscall.EDQUOT.Error()) {
			text = textUntriedFull
		}
	}
	return text
}

// SandboxHoles returns the findings that speak against the sandbox. Either an attempt escaped, or
// it could not be made and proves nothing. Known escapes of the tier are left out.
func SandboxHoles(tier string, findings []protocol.EscapeReport) []protocol.EscapeReport {
	return slices.DeleteFunc(slices.Clone(findings), func(f protocol.EscapeReport) bool {
		return f.Outcome == protocol.EscapePrevented || KnownEscapes[tier][f.Row] != ""
	})
}

// TryEscapes lets a worker attempt escapes: all of them, or only those of every start.
func TryEscapes(ctx context.Context, worker WorkerCaller, state string, whose Account,
	all bool) (findings []protocol.EscapeReport, err error) {
	v, err := NewVictims(state, whose)
	if err != nil {
		return nil, fmt.Errorf("make what a worker must not reach: %w", err)
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	var tried protocol.TryWallsResult
	err = worker.Call(ctx, protocol.MethodTryWalls, protocol.TryWallsParams{All: all, Victims: v.EscapeVictims}, &tried)
	if err == nil && ctx.Err() != nil { // if ctx ended, the attempts prove nothing
		err = context.Cause(ctx)
	}
	if err == nil && len(tried.Findings) == 0 {
		err = errors.New("the worker tried nothing")
	}
	return tried.Findings, err
}
