package placement_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/placement"
)

// TestHistory_UnusableFolder_ServesWithout: a missing folder of histories stops no worker. Once it
// is mended, the fault is gone when somebody asks.
func TestHistory_UnusableFolder_ServesWithout(t *testing.T) {
	state := newState(t)
	ann := supervisor.User{Name: "ann", Home: filepath.Join(state, "homes", "ann")}
	locations := startLocations(t, "landlock", placement.Options{State: state, History: true})
	commit, err := locations.SetUsers([]supervisor.User{ann})
	if err != nil {
		t.Fatal(err)
	}
	commit()
	link, file := filepath.Join(state, "link"), filepath.Join(state, "file")
	if err := errors.Join(os.Symlink("/no/such/disk", link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{link, filepath.Join(link, "histories"), filepath.Join(file, "histories"),
		"/proc/histories"} {
		locations.HistoryDir = dir
		location, err := locations.LocationOf(ann)
		if err != nil || location.Path != "ann" || location.HistoryPath != "" || location.HistoryRoot != "" ||
			!strings.Contains(locations.HistoryFault("ann"), dir) {
			t.Errorf("%s: %+v, %v, fault %q", dir, location, err, locations.HistoryFault("ann"))
		}
	}
	locations.HistoryDir = filepath.Join(state, "homes")
	if fault := locations.RecheckHistoryFault(ann, false); fault != "" || locations.HistoryFault("ann") != "" {
		t.Errorf("mended: %q", fault)
	}
}

// TestHistoryFault_OfSpawner_EndsWithItsWorker: the next worker tries again.
func TestHistoryFault_OfSpawner_EndsWithItsWorker(t *testing.T) {
	state := newState(t)
	ann := supervisor.User{Name: "ann", Home: filepath.Join(state, "homes", "ann")}
	locations := startLocations(t, "landlock", placement.Options{State: state, History: true,
		HistoryDir: filepath.Join(state, "homes")})
	locations.NoteHistoryStart("ann", "permission denied")
	if fault := locations.HistoryFault("ann"); !strings.Contains(fault, "permission denied") ||
		locations.RecheckHistoryFault(ann, true) != fault || locations.RecheckHistoryFault(ann, false) != "" {
		t.Errorf("noted %q", fault)
	}
	if locations.NoteHistoryStart("ann", ""); locations.HistoryFault("ann") != "" {
		t.Errorf("a good start leaves %q", locations.HistoryFault("ann"))
	}
}

func TestFindHistory_SeveralFolders_PrefersFirst(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	inFirst, inSecond := filepath.Join(first, "ann.history"), filepath.Join(second, "ann.history")
	for _, c := range []struct{ make, want string }{{"", inFirst}, {inSecond, inSecond}, {inFirst, inFirst}} {
		if c.make != "" {
			if err := os.Mkdir(c.make, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if got := placement.FindHistory("ann", first, second); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
