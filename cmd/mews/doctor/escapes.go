package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sys/unix"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
	"mews/supervisor/unit"
)

// TryEscapes lets a worker try to escape from its sandbox, and prints the attempts. It fails if an
// unexpected attempt succeeds.
func TryEscapes(ctx context.Context, o Options) error {
	started, err := placement.InheritedSpawnerSocket()
	if err != nil {
		return err
	}
	if s, ok := unit.FindService(o.Config.State); ok && started == nil && os.Getuid() == 0 {
		return tryUnderUnit(ctx, o, s)
	}
	s, workers, err := startSpawner(ctx, o.Config, started)
	if err != nil {
		return err
	}
	bad, err := tryEscapesIn(ctx, o, s, workers)
	// Close has no effect unless an earlier step has failed
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf(textEscaped, amount.Plural(bad, "attempt", "attempts"), s.Sandbox().Tier)
	}
	return nil
}

// tryEscapesIn lets a worker of a spawner make all attempts. bad is the number of unexpected
// successes.
func tryEscapesIn(ctx context.Context, o Options, s *pool.Spawner, workers placement.Account) (bad int, err error) {
	cfg := o.Config
	err = errors.Join(os.MkdirAll(cfg.State, 0o711), os.MkdirAll(filepath.Join(cfg.State, "private"), 0o700))
	if err != nil {
		return 0, fmt.Errorf("make the state folder: %w", err)
	}
	if err := placement.CheckStateFolder(cfg.State); err != nil {
		return 0, err
	}
	walls := s.Sandbox()
	location, err := placement.SelfTestLocation(cfg.State, workers, walls.Tier)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(o.Out, "walls   %s. %s\nlimits  %s\n\n", walls.Tier, walls.Why, walls.Limits)
	marker := filepath.Join(location.Root, location.Path, protocol.DaemonMarkerFile)
	defer os.Remove(marker)
	var findings []protocol.EscapeReport
	err = placement.WithSelfTestWorker(ctx, s, location, func(worker *pool.Worker[pool.RefusingHost]) (err error) {
		findings, err = placement.TryEscapes(ctx, worker, cfg.State, workers, true)
		return err
	})
	checkDaemon(findings, marker)
	return writeEscapes(o.Out, walls.Tier, findings), err
}

// checkDaemon completes the finding about the daemon that the worker tried to leave behind. It is
// called after the worker's end. The daemon lives as long as the marker is locked.
func checkDaemon(findings []protocol.EscapeReport, marker string) {
	i := slices.IndexFunc(findings, func(f protocol.EscapeReport) bool {
		return f.Row == "X1" &&
			f.Outcome == protocol.EscapeUntried
	})
	if i < 0 {
		return
	}
	// the worker made this file, so it may be a link or a device
	file, err := os.OpenFile(marker, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return // the worker's finding already says why there is no daemon
	}
	defer file.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	switch err := unix.FcntlFlock(file.Fd(), unix.F_GETLK, &lock); {
	case err != nil:
		findings[i].Detail = fmt.Sprintf("ask for the lock of %s: %v", marker, err)
	case lock.Type == unix.F_UNLCK:
		findings[i].Outcome, findings[i].Detail = protocol.EscapePrevented, textDaemonEnded
	default:
		findings[i].Outcome, findings[i].Detail = protocol.EscapeSucceeded, fmt.Sprintf(textDaemonLives, lock.Pid)
	}
}

// writeEscapes prints a line for every attempt, and the totals. It returns the number of unexpected
// successes.
func writeEscapes(w io.Writer, tier string, findings []protocol.EscapeReport) (bad int) {
	marks := map[string]string{protocol.EscapePrevented: markStopped, protocol.EscapeUntried: markUntried}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	counts := map[string]int{}
	for _, f := range findings {
		mark := marks[f.Outcome]
		if f.Outcome == protocol.EscapeSucceeded {
			mark = markEscaped
			if known := placement.KnownEscapes[tier][f.Row]; known != "" {
				mark, f.Detail = markKnown, known
			} else {
				bad++
			}
		}
		counts[mark]++
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Row, mark, f.What, strings.ReplaceAll(f.Detail, "\n", " "))
	}
	_ = t.Flush()
	fmt.Fprintf(w, textEscapesSum, len(findings), tier, counts[markStopped], counts[markKnown], counts[markUntried], bad)
	return bad
}
