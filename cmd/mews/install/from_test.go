package install

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// earlier is the state folder of carl's earlier Mews.
const earlier = "/home/carl/.local/state/mews"

// fromCarl are answers that take along carl's earlier Mews.
func fromCarl(r *rig) Answers {
	r.t.Helper()
	r.put(earlier[1:]+"/private/mews.db", "carl's data")
	r.give(earlier, 1000)
	a := household()
	a.From = earlier
	return a
}

// backUp is the fake of `mews backup`, which the owner of the earlier Mews runs.
func (r *rig) backUp(args []string) (string, error) {
	if args[1] != makeBackup || args[3] != "carl" || args[4] != "/home/carl" {
		return "", fmt.Errorf("not called as carl: %q", args)
	}
	state := filepath.Join(args[5], "mews")
	data, err := os.ReadFile(filepath.Join(state, "private/mews.db"))
	if err == nil {
		err = os.WriteFile(args[len(args)-1], data, 0o600)
	}
	return "The backup is in " + state + "/backups/mews-1.", err
}

// restore is the fake of `mews restore`. A kill may leave it half done.
func (r *rig) restore(file string) (string, error) {
	state := filepath.Join(r.root, "var/lib/mews")
	st, there := machine{root: "/"}.status(state)
	db, progress := filepath.Join(state, "private/mews.db"), filepath.Join(state, "private/restore.json")
	_, used := os.Stat(db)
	_, began := os.Stat(progress)
	switch {
	case !there || fmt.Sprint(st.Uid) != strings.Split(r.line("etc/passwd", "mews"), ":")[2]:
		return "", errors.New("there is no state folder")
	case used == nil && began != nil:
		return "", errors.New("it already has files of Mews")
	}
	data, err := os.ReadFile(file)
	err = errors.Join(err, os.MkdirAll(filepath.Dir(db), 0o700), os.WriteFile(progress, nil, 0o600),
		os.WriteFile(db, data, 0o600))
	if err == nil {
		err = r.changed() // a kill between the database and the end
	}
	if err == nil {
		err = os.Remove(progress)
	}
	return "Restored the backup.", err
}

// TestFrom_KilledAtEachChange_EndsTheSame kills an installation that takes data along after each of its
// changes, and runs it again.
func TestFrom_KilledAtEachChange_EndsTheSame(t *testing.T) {
	needRoot(t)
	whole := newRig(t)
	if err := whole.install("", fromCarl(whole)); err != nil {
		t.Fatal(err)
	}
	if got := whole.get("var/lib/mews/private/mews.db"); got != "carl's data" {
		t.Errorf("the new service has %q", got)
	}
	if _, err := os.Stat(filepath.Join(whole.root, Layout{}.importFile())); err == nil {
		t.Error("the backup is still there")
	}
	restored, started := -1, -1
	for i, command := range whole.ran {
		if strings.Contains(command, "/mews restore ") {
			restored = i
		}
		if command == "systemctl restart mews" {
			started = i
		}
	}
	if restored < 0 || started < restored {
		t.Errorf("the service has started before the restore: %q", whole.ran)
	}
	want := whole.tree()
	for changes := 0; ; changes++ {
		r := newRig(t)
		a := fromCarl(r)
		r.left = changes
		err := r.install("", a)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("killed after change %d: %v", changes, err)
		}
		r.left = -1
		if err := r.install("", a); err != nil {
			t.Fatalf("again after change %d: %v", changes, err)
		}
		if diff := cmp.Diff(want, r.tree()); diff != "" {
			t.Fatalf("killed after change %d, and run again:\n%s", changes, diff)
		}
	}
}

func TestFrom_BadFolder_IsRefused(t *testing.T) {
	needRoot(t)
	for want, spoil := range map[string]func(r *rig, a *Answers){
		"want the absolute path":    func(_ *rig, a *Answers) { a.From = "/home/carl/gone" },
		"has data of its own":       func(r *rig, _ *Answers) { r.put("var/lib/mews/private/mews.db", "") },
		"Name that configuration":   func(r *rig, a *Answers) { r.put("srv/old/x", ""); a.From = "/srv/old" },
		"user id 4711 owns":         func(r *rig, _ *Answers) { r.give(earlier, 4711) },
		"a Mews runs on " + earlier: func(r *rig, _ *Answers) { r.listen(earlier + "/control.sock") },
	} {
		r := newRig(t)
		a := fromCarl(r)
		spoil(r, &a)
		before := r.tree()
		if err := r.install("", a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if diff := cmp.Diff(before, r.tree()); diff != "" {
			t.Errorf("%s: something was written:\n%s", want, diff)
		}
	}
}

// give gives a folder to an account.
func (r *rig) give(path string, uid int) {
	r.t.Helper()
	if err := os.Chown(filepath.Join(r.root, path), uid, uid); err != nil {
		r.t.Fatal(err)
	}
}

// listen makes a socket, as a running Mews has one.
func (r *rig) listen(path string) {
	r.t.Helper()
	listener, err := net.Listen("unix", filepath.Join(r.root, path))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = listener.Close() })
}
