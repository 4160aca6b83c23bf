package placement_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/placement"
)

// TestHistory_OfOtherAccount_IsNamed: the user is served without a history. The shown command names
// both folders. Once root gives them to the account, the history is used.
func TestHistory_OfOtherAccount_IsNamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	state := newState(t)
	homes := filepath.Join(state, "homes")
	locations := startLocations(t, "namespaces", placement.Options{State: state, History: true, HistoryDir: homes})
	ann := supervisor.User{Name: "ann", Home: filepath.Join(homes, "ann")}
	commit, err := locations.SetUsers([]supervisor.User{ann})
	if err != nil {
		t.Fatal(err)
	}
	commit()
	history := locations.HistoryPath(ann)
	if err := errors.Join(os.Mkdir(history, 0o700), os.Chown(history, 54499, 54499)); err != nil {
		t.Fatal(err)
	}
	location, err := locations.LocationOf(ann)
	fault := locations.HistoryFault("ann")
	if err != nil || location.HistoryPath != "" || !strings.Contains(fault, "user id 54499") ||
		!strings.HasSuffix(fault, fmt.Sprintf("chown -hR %d:%d %s %s", locations.Workers.UID, locations.Workers.GID,
			ann.Home, history)) {
		t.Errorf("%+v, %v, %q", location, err, fault)
	}
	if got := locations.UnreachableHistory(ann); got != history {
		t.Errorf("out of reach is %q", got)
	}
	packing, err := locations.LocationForHomeOperation(ann)
	if err != nil || packing.HistoryPath != "" {
		t.Errorf("a worker that packs the home: %+v, %v", packing, err)
	}
	emptying, err := locations.LocationForHistoryOperation(ann)
	if err != nil || emptying.UID != 54499 || emptying.Path != "ann.history" {
		t.Errorf("a worker that empties the history: %+v, %v", emptying, err)
	}
	if again := locations.RecheckHistoryFault(ann, true); again != fault {
		t.Errorf("asked again: %q", again)
	}
	if err := os.Chown(history, int(locations.Workers.UID), int(locations.Workers.GID)); err != nil {
		t.Fatal(err)
	}
	if again := locations.RecheckHistoryFault(ann, true); again != "" {
		t.Errorf("after the hand-over: %q", again)
	}
	location, err = locations.LocationOf(ann)
	if err != nil || location.HistoryPath != "ann.history" || locations.HistoryFault("ann") != "" ||
		locations.HistoryFault("bob") != "" {
		t.Errorf("handed over: %+v, %v, %q", location, err, locations.HistoryFault("ann"))
	}
	if packing, err = locations.LocationForHomeOperation(ann); err != nil || packing.HistoryPath != "ann.history" {
		t.Errorf("handed over, a worker that packs the home: %+v, %v", packing, err)
	}
}

// TestHistory_HomeOfAdmin_StaysUnnamed: a folder that an admin chose keeps its owner. No shown
// command changes it. If that folder is the fault, no command is shown.
func TestHistory_HomeOfAdmin_StaysUnnamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	state := newState(t)
	homes := filepath.Join(state, "homes")
	locations := startLocations(t, "namespaces", placement.Options{State: state, History: true, HistoryDir: homes})
	ann := supervisor.User{Name: "ann", Home: filepath.Join(filepath.Dir(state), "chosen")}
	history := locations.HistoryPath(ann)
	if err := errors.Join(os.Mkdir(ann.Home, 0o700), os.Chown(ann.Home, 54499, 54499), os.MkdirAll(history, 0o700),
		os.Chown(history, 54499, 54499)); err != nil {
		t.Fatal(err)
	}
	commit, err := locations.SetUsers([]supervisor.User{ann})
	if err != nil {
		t.Fatal(err)
	}
	commit()
	location, err := locations.LocationOf(ann)
	fault := locations.HistoryFault("ann")
	if err != nil || location.HistoryPath != "" || !strings.Contains(fault, "user id 54499") ||
		strings.Contains(fault, "chown") {
		t.Errorf("a home and a history of one account: %+v, %v, %q", location, err, fault)
	}
	if err := os.Chown(ann.Home, int(locations.Workers.UID), int(locations.Workers.GID)); err != nil {
		t.Fatal(err)
	}
	location, err = locations.LocationOf(ann)
	fault = locations.HistoryFault("ann")
	if err != nil || location.HistoryPath != "" ||
		!strings.HasSuffix(fault, fmt.Sprintf("chown -hR %d:%d %s", locations.Workers.UID, locations.Workers.GID,
			history)) {
		t.Errorf("a history of another account: %+v, %v, %q", location, err, fault)
	}
}
