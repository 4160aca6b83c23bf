package escape

import (
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// within makes an attempt in a process that is root in its own namespaces, without other walls. The
// role tells whether it also has its own /proc.
func (r *harness) within(role, row string) Finding {
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

// TestNamespaces_Alone_StopTheirRows tries the rows that namespaces stop, and some other rows,
// without other walls.
func TestNamespaces_Alone_StopTheirRows(t *testing.T) {
	r := newHarness(t)
	if f := r.within("within", "K18"); f.Outcome != Escaped {
		if whyDifferent(r, Finding{Row: "K3"}) == "" {
			t.Errorf("no namespaces: %+v", f)
		}
		return
	}
	for row, want := range map[string]Outcome{
		"F4": Stopped, "F5": Stopped, "F6": Stopped, "F13": Stopped, "F14": Stopped,
		"P1": Stopped, "P2": Stopped, "P3": Stopped, "P4": Stopped, "P5": Stopped, "P6": Stopped, "P7": Stopped, "P8": Stopped,
		"P9": Stopped, "N8": Stopped, "N9": Stopped, "N11": Stopped, "X1": Stopped, "K17": Stopped,
		"F3": Escaped, "F9": Escaped, "N1": Escaped, "N10": Escaped, "K1": Escaped, "K13": Escaped, "K19": Escaped,
	} {
		f := r.within("within", row)
		if !r.root && want == Stopped && f.Outcome == Untried {
			continue // there is no supervisor of another uid
		}
		if f.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", row, f.Outcome, f.Detail, want)
		}
	}
	for _, row := range []string{"F6", "F14"} { // through the caller's own /proc, which is still mounted
		if f := r.within("try", row); f.Outcome != Escaped {
			t.Errorf("%+v", f)
		}
	}
}
