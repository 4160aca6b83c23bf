package escape

import (
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// within tries a row in a process that is root in its own namespaces, without other walls. The role
// tells whether it also has its own /proc.
func (r *harness) within(role, row string) Report {
	r.t.Helper()
	uid, gid := os.Getuid(), os.Getgid()
	if r.root {
		uid, gid = ownUID, ownUID
	}
	cmd := r.attempt(role, row, nil)
	cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: gid, Size: 1}}
	cmd.SysProcAttr.Credential = &syscall.Credential{NoSetGroups: true}
	return r.finding(cmd)
}

// TestNamespacesAlone_StopTheirProbes tries the rows that namespaces stop, and some other rows,
// without other walls.
func TestNamespacesAlone_StopTheirProbes(t *testing.T) {
	r := newHarness(t)
	if f := r.within("within", "K18"); f.Outcome != OutcomeEscaped {
		if whyDifferent(r, Report{Row: "K3"}) == "" {
			t.Errorf("no namespaces: %+v", f)
		}
		return
	}
	for row, want := range map[string]Outcome{
		"F4": OutcomeStopped, "F5": OutcomeStopped, "F6": OutcomeStopped, "F13": OutcomeStopped, "F14": OutcomeStopped,
		"P1": OutcomeStopped, "P2": OutcomeStopped, "P3": OutcomeStopped, "P4": OutcomeStopped, "P5": OutcomeStopped,
		"P6": OutcomeStopped, "P7": OutcomeStopped, "P8": OutcomeStopped,
		"P9": OutcomeStopped, "N8": OutcomeStopped, "N9": OutcomeStopped, "N11": OutcomeStopped, "X1": OutcomeStopped,
		"K17": OutcomeStopped,
		"F3":  OutcomeEscaped, "F9": OutcomeEscaped, "N1": OutcomeEscaped, "N10": OutcomeEscaped, "K1": OutcomeEscaped,
		"K13": OutcomeEscaped, "K19": OutcomeEscaped,
	} {
		f := r.within("within", row)
		if !r.root && want == OutcomeStopped && f.Outcome == OutcomeUntried {
			continue // there is no supervisor of another uid
		}
		if f.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", row, f.Outcome, f.Detail, want)
		}
	}
	for _, row := range []string{"F6", "F14"} { // through the caller's own /proc, which is still mounted
		if f := r.within("try", row); f.Outcome != OutcomeEscaped {
			t.Errorf("%+v", f)
		}
	}
}
