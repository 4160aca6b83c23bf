package app

import (
	"fmt"
	"io"
	"mews/supervisor/placement"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

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
			if known := placement.KnownEscapes[tier][f.Row]; known != "" {
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
