package placement_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/placement"
)

// TestSetUsers_FolderWithHistories_IsRefused: another path of a folder is the same folder.
func TestSetUsers_FolderWithHistories_IsRefused(t *testing.T) {
	state := newState(t)
	homes, other := filepath.Join(state, "homes"), filepath.Join(filepath.Dir(state), "other")
	old := filepath.Join(homes, "bob.history", "packs")
	link := filepath.Join(other, "m")
	if err := errors.Join(os.MkdirAll(old, 0o700), os.Mkdir(other, 0o755), os.Symlink(state, link)); err != nil {
		t.Fatal(err)
	}
	histories := filepath.Join(state, "histories") // which no worker has made yet
	for _, c := range []struct {
		folder  string
		history string // folder of all histories; "" means that none is kept
		ok      bool
	}{
		{other, homes, true},
		{other, histories, true},
		{filepath.Join(state, "private"), histories, true},
		{state, homes, false},
		{link, homes, false},
		{filepath.Join(link, "homes"), homes, false},
		{filepath.Join(link, "homes"), "", false}, // old histories
		{filepath.Join(link, "homes", "bob.history"), "", false},
		{filepath.Join(link, "homes", "bob.history", "packs"), histories, false},
		{"/", "", false},
		{link, histories, false},
		{filepath.Join(other, "missing"), homes, true},
	} {
		for name, set := range map[string]func(*placement.Options, *supervisor.User){
			"read_only": func(o *placement.Options, _ *supervisor.User) { o.ReadOnly = []string{c.folder} },
			"workspace": func(_ *placement.Options, u *supervisor.User) { u.Workspaces = []string{c.folder} },
		} {
			o := placement.Options{State: state, Log: hclog.NewNullLogger(), History: c.history != "",
				HistoryDir: c.history}
			ann := supervisor.User{Name: "ann", Home: filepath.Join(homes, "ann")}
			set(&o, &ann)
			_, err := (&placement.WorkerLocations{Options: o}).SetUsers([]supervisor.User{ann})
			if (err == nil) != c.ok {
				t.Errorf("%s %s, histories in %q: %v", name, c.folder, c.history, err)
			}
		}
	}
}
