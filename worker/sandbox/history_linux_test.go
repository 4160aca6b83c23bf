package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestHistory_EachTier_IsWorkersAlone: a worker keeps files in its history by the descriptor. The
// folder leads nowhere else, and no program can be executed there. With a mount namespace the
// folder has no path. In this test the worker is a shell, which reaches the descriptor by
// /proc/self/fd.
func TestHistory_EachTier_IsWorkersAlone(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.keepHistory()
		const script = `cd /proc/self/fd/4 && mkdir pack && echo kept >pack/new && mv pack/new pack/1 && cat pack/1
cp /bin/true pack/true && chmod 700 pack/true && { pack/true 2>/dev/null && echo executed || echo "not executed"; }
rm pack/true
ln -s /etc/passwd pack/link 2>/dev/null && echo linked || echo "not linked"
ls .. 2>/dev/null | tr '\n' ' '; echo up
[ -e %s ] && echo "a path" || echo "no path"
`
		want := []string{"kept", "not executed", "not linked", "pack up", "no path"}
		if r.plan.Tier == TierLandlock {
			want[3], want[4] = "up", "a path"
		}
		got := strings.Split(r.mustPrint(fmt.Sprintf(script, r.host(historyName))), "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		kept, err := os.ReadFile(filepath.Join(r.host(historyName), "pack", "1"))
		if err != nil || string(kept) != "kept\n" {
			t.Errorf("on the host: %q, %v", kept, err)
		}
		info, err := os.Stat(filepath.Join(r.host(historyName), "pack", "1"))
		r.must(err)
		if owner := info.Sys().(*syscall.Stat_t).Uid; r.plan.UID > 0 && int(owner) != r.plan.UID {
			t.Errorf("it belongs to uid %d, want %d", owner, r.plan.UID)
		}
	})
}

// TestHistory_NotGiven_HasNoDescriptor: a worker without a history inherits nothing in its place.
func TestHistory_NotGiven_HasNoDescriptor(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		const script = `for fd in 3 4 5 6 7 8; do [ -e /proc/$$/fd/$fd ] && echo "$fd is open"; done
echo "history$MEWS_HISTORY, rules$MEWS_TOOL_RULES"`
		if got, want := r.mustPrint(script), "history, rules"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestHistory_FolderSwapped_IsRefused: stage one finds another folder than the folder that the
// spawner has checked.
func TestHistory_FolderSwapped_IsRefused(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.keepHistory()
		r.plan.History.Inode++
		said, err := r.run("echo started")
		if err == nil || !strings.Contains(said, "is another folder than the one that was checked") {
			t.Errorf("%v: %s", err, said)
		}
	})
}

// TestOpenHistory_AnyLink_IsRefused: no link leads to a file history.
func TestOpenHistory_AnyLink_IsRefused(t *testing.T) {
	root := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink("real.history", path) },
		"out":    func(path string) error { return os.Symlink("/", path) },
		"file":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"fifo":   func(path string) error { return unix.Mkfifo(path, 0o600) },
		"absent": func(string) error { return nil },
	} {
		if err := make(filepath.Join(root, name+".history")); err != nil {
			t.Fatal(name, err)
		}
		if _, fd, err := OpenHistory(root, name+".history"); err == nil {
			t.Errorf("%s: it is opened", name)
			_ = unix.Close(fd)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "real.history"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, fd, err := OpenHistory(root, "real.history")
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(fd)
	_, fd, err = OpenHistory(root, "../"+filepath.Base(root)+"/real.history")
	if err == nil {
		t.Error("a path outside of the root is opened")
		_ = unix.Close(fd)
	}
}

// TestTakeInherited_EachEnvironment_IsChecked executes a process with descriptors as stage one
// leaves them. A program of the user may have changed the folder's mode.
func TestTakeInherited_EachEnvironment_IsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"nothing":   {nil, "no history, no rules"},
		"a history": {[]string{"MEWS_TIER=namespaces", "MEWS_HISTORY=4"}, "history drwx------, no rules; closed"},
		"rules": {
			[]string{"MEWS_TIER=landlock", "MEWS_HISTORY=4", "MEWS_TOOL_RULES=5"},
			"history drwx------, rules; closed",
		},
		"rules missing": {
			[]string{"MEWS_TIER=landlock", "MEWS_HISTORY=4"},
			"MEWS_HISTORY is set without MEWS_TOOL_RULES",
		},
		"another descriptor": {[]string{"MEWS_HISTORY=5"}, `MEWS_HISTORY="5": want 4`},
		"no number":          {[]string{"MEWS_HISTORY=4x"}, `MEWS_HISTORY="4x": want 4`},
		"empty":              {[]string{"MEWS_HISTORY="}, `MEWS_HISTORY="": want 4`},
		"a missing one":      {[]string{"MEWS_TOOL_RULES=5", "MEWS_HISTORY=6"}, `MEWS_HISTORY="6": want 4`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Chmod(dir, 0); err != nil {
				t.Fatal(err)
			}
			fd, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			folder := os.NewFile(uintptr(fd), dir)
			defer folder.Close()
			null, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			cmd := exec.Command("/proc/self/exe", "inherit")
			cmd.Env, cmd.ExtraFiles = c.env, []*os.File{null, folder, null}
			out, err := cmd.CombinedOutput()
			if !strings.Contains(string(out), c.want) {
				t.Errorf("%v: %s; want %s", err, out, c.want)
			}
		})
	}
}

// inherit takes over the descriptors of its environment, and prints them.
func inherit() error {
	i, err := TakeInherited()
	if err != nil {
		return err
	}
	text := "no history, "
	if i.History != nil {
		info, err := i.History.Stat()
		if err != nil {
			return err
		}
		if _, err := i.History.ReadDir(-1); err != nil {
			return err
		}
		text = fmt.Sprintf("history %s, ", info.Mode())
	}
	if i.ToolRules == nil {
		text += "no "
	}
	text += "rules"
	const script = `[ -e /proc/$$/fd/4 ] || echo closed; env | grep MEWS_[HT]O; true`
	left, err := exec.Command("/bin/sh", "-c", script).Output()
	if err != nil {
		return err
	}
	fmt.Println(text + "; " + strings.TrimSpace(string(left)))
	return nil
}
