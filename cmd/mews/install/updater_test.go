package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/release"
)

// TestUpdater_NamedInstanceAlone_IsInstalled: the unit that installs updates needs no first instance.
func TestUpdater_NamedInstanceAlone_IsInstalled(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	if err := r.install("lab", household()); err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(r.get(updateService), "\nExecStart=")
	program, _, _ = strings.Cut(program, "\n")
	if got := r.get(program); got != "mews-updateone" {
		t.Errorf("%s is %q", program, got)
	}
}

// TestUpdater_TwoVersions_NewerStays: an instance of an older version takes the link back from nobody.
func TestUpdater_TwoVersions_NewerStays(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	r.version = "v1.9.0"
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	leadsTo := func(want string) {
		t.Helper()
		if got, err := os.Readlink(filepath.Join(r.root, release.UpdaterLink)); err != nil || got != "versions/"+want {
			t.Errorf("it leads to %s, %v; want %s", got, err, want)
		}
	}
	leadsTo("v1.9.0")
	r.version = "v1.10.0"
	second := household()
	second.People = second.People[:1]
	if err := r.install("lab", second); err != nil {
		t.Fatal(err)
	}
	leadsTo("v1.10.0")
	r.version = "v1.9.0"
	if err := errors.Join(r.open("").Status(), r.install("", Answers{})); err != nil {
		t.Fatalf("%v\n%s", err, &r.out)
	}
	leadsTo("v1.10.0")
	if err := os.RemoveAll(filepath.Join(r.root, versions, "v1.10.0")); err != nil {
		t.Fatal(err)
	}
	if err := r.open("").Status(); !errors.Is(err, ErrDrift) {
		t.Errorf("with a link to nothing: %v", err)
	}
	if err := r.install("", Answers{}); err != nil {
		t.Fatal(err)
	}
	leadsTo("v1.9.0")
}
