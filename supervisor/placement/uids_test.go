package placement

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestARangeThatIsNotFreeIsRefused in words that name who has it.
func TestARangeThatIsNotFreeIsRefused(t *testing.T) {
	r := UIDRange{70000, 79999}
	for name, c := range map[string]struct {
		file, text string
		want       string // "": it is free
	}{
		"nobody":                    {"passwd", "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbroken\n", ""},
		"a person":                  {"passwd", "far:x:70000:100::/:/bin/sh\n", "far has an id there"},
		"the last":                  {"group", "net:x:79999:\n", "net has an id there"},
		"beside it":                 {"group", "a:x:69999:\nb:x:80000:\n", ""},
		"a container":               {"subuid", "ann:65536:65536\n", "ann has an id there"},
		"a container below":         {"subuid", "ann:4464:65536\n", ""},
		"a container above":         {"subgid", "ann:100000:65536\n", ""},
		"a container within":        {"subgid", "ben:75000:1\n", "ben has an id there"},
		"a container without an id": {"subgid", "ben:75000:0\n", ""},
	} {
		etc := t.TempDir()
		if err := os.WriteFile(filepath.Join(etc, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := r.checkFree(etc, nil, nil)
		if (err == nil) != (c.want == "") || err != nil && !(strings.Contains(err.Error(), c.want) && strings.Contains(err.Error(), c.file)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestARangeOfWhichSomebodyHasFilesIsRefused, unless they are the homes of people.
func TestARangeOfWhichSomebodyHasFilesIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		return // nothing can be given away
	}
	dir := t.TempDir()
	home := filepath.Join(dir, "ann")
	if err := errors.Join(os.Mkdir(home, 0o700), os.Chown(home, 70001, 70001)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r       UIDRange
		homes   []string
		refused bool
	}{{UIDRange{70000, 70009}, nil, true}, {UIDRange{70000, 70009}, []string{home}, false}, {UIDRange{80000, 80009}, nil, false}} {
		err := c.r.checkFree(t.TempDir(), []string{"/no/such/folder", dir}, c.homes)
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), home) {
			t.Errorf("%s with homes %q: %v", c.r, c.homes, err)
		}
	}
}
