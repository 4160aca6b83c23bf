package doctor

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"mews/config"
)

func TestCheckedUser_Defaults_HaveNoLimits(t *testing.T) {
	if got := checkedUser(config.User{TOTP: config.TOTPOptional}).limits(); got != "" {
		t.Errorf("nothing is %q", got)
	}
}

// TestCheck_FoldersAndAccounts_MustExist covers folders and accounts that a worker needs on this
// machine.
func TestCheck_FoldersAndAccounts_MustExist(t *testing.T) {
	dir := t.TempDir()
	file, gone := filepath.Join(dir, "file"), filepath.Join(dir, "gone")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	one := func(u config.User) []config.User { return []config.User{{Name: "ann"}, u} }
	for name, c := range map[string]struct {
		worker config.Worker
		users  []config.User
		want   string // expected part of the only problem; "" means no problem
	}{
		"nothing":       {},
		"shared folder": {worker: config.Worker{ReadOnly: []string{dir}}},
		"missing folder": {worker: config.Worker{ReadOnly: []string{dir, gone}},
			want: "worker.read_only[1]: there is no folder " + gone},
		"folder below a file": {worker: config.Worker{ReadOnly: []string{file + "/x"}}, want: ""},
		"file as folder": {worker: config.Worker{ReadOnly: []string{file}}, want: "worker.read_only[0]: " + file +
			" is no folder"},
		"link to nothing": {worker: config.Worker{ReadOnly: []string{link(t, gone)}},
			want: "worker.read_only[0]: there is no folder"},
		"link to a folder": {worker: config.Worker{ReadOnly: []string{link(t, dir)}}},
		"workspace":        {users: one(config.User{Workspaces: []string{dir}})},
		"missing workspace": {users: one(config.User{Workspaces: []string{gone}}),
			want: "users[1].workspaces[0]: there is no folder"},
		"own account": {users: one(config.User{Name: "ben", Account: own.Username})},
		"unknown account": {users: one(config.User{Name: "ben", Account: "nobodyhere"}),
			want: `users[1].account: there is no account "nobodyhere"`},
	} {
		cfg := &config.Config{State: dir, Worker: c.worker, Users: c.users,
			Models: config.Models{Default: config.OfflineModel}}
		r := CheckConfig(t.Context(), cfg, "")
		switch {
		case c.want == "" && len(r.Problems) == 0 && r.Err() == nil:
		case c.want == "" || len(r.Problems) != 1 || r.Err() == nil || !strings.HasPrefix(r.Problems[0], c.want):
			t.Errorf("%s: %q (%v), want %q", name, r.Problems, r.Err(), c.want)
		}
	}
}

func link(t *testing.T, to string) string {
	path := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	return path
}
