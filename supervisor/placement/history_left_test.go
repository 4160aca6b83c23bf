package placement_test

import (
	"os"
	"path/filepath"
	"testing"

	"mews/supervisor"
	"mews/supervisor/placement"
)

// TestLocation_NoRoom_HasEarlierHistory sets worker.history to 0B. A worker behind walls still gets
// the history from before, so that it can forget its versions. Without walls the folder is named as
// out of reach.
func TestLocation_NoRoom_HasEarlierHistory(t *testing.T) {
	for _, tier := range historyTiers() {
		t.Run(tier, func(t *testing.T) {
			state := newState(t)
			homes := filepath.Join(state, "homes")
			locations := startLocations(t, tier, placement.Options{State: state, HistoryDir: homes})
			ann := supervisor.User{Name: "ann", Home: filepath.Join(homes, "ann")}
			commit, err := locations.SetUsers([]supervisor.User{ann})
			if err != nil {
				t.Fatal(err)
			}
			commit()
			if location, err := locations.LocationOf(ann); err != nil || location.HistoryPath != "" ||
				locations.UnreachableHistory(ann) != "" {
				t.Errorf("without an earlier history: %+v, %v", location, err)
			}
			if err := os.Mkdir(locations.HistoryPath(ann), 0o700); err != nil {
				t.Fatal(err)
			}
			path, left := "ann.history", ""
			if tier == "off" {
				path, left = "", locations.HistoryPath(ann)
			}
			location, err := locations.LocationOf(ann)
			if err != nil || location.HistoryPath != path {
				t.Errorf("an earlier history: %q, %v, want %q", location.HistoryPath, err, path)
			}
			if got := locations.UnreachableHistory(ann); got != left {
				t.Errorf("out of reach is %q, want %q", got, left)
			}
		})
	}
}
