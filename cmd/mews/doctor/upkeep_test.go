package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor/admin"
	"mews/supervisor/app"
	"mews/supervisor/backup"
	"mews/supervisor/restore"
)

// put writes a value as JSON into a file of the state folder.
func (r *rig) put(path string, value any) {
	r.t.Helper()
	path = filepath.Join(r.dir, "state", path)
	text, err := json.Marshal(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func TestExamineBackups_EachProblem_IsTold(t *testing.T) {
	r := newRig(t)
	r.expectFinding("backups", "ok nothing is stored yet")
	r.request(admin.MethodUserList, admin.UserRequest{}) // makes the database
	r.expectFinding("backups", "WARN there is none")
	manifest := backup.Manifest{Format: backup.Format, Version: "1", Schema: 1, State: filepath.Join(r.dir, "state"),
		MadeAt: time.Now().UTC().AddDate(0, 0, -5).Truncate(time.Second),
		Files:  []backup.File{{Name: backup.DatabaseName, Size: 1, SHA256: strings.Repeat("0", 64)}},
		Homes:  []backup.Home{},
		LeftOut: []backup.LeftOut{{What: "workspaces", Why: "a"}, {What: "index.db", Why: "b"},
			{What: "secret files", Why: "c"}}}
	const dir = "backups/mews-20261130-140000"
	r.put(dir+"/manifest.json", manifest)
	r.expectFinding("backups", "WARN the newest is 5 days old")
	manifest.MadeAt = time.Now().UTC().Truncate(time.Second)
	r.put(dir+"/manifest.json", manifest)
	r.expectFinding("backups", "WARN on the disk of the state folder")
	manifest.LeftOut = append(manifest.LeftOut, backup.LeftOut{What: "home of ann", Why: "it is away"})
	r.put(dir+"/manifest.json", manifest)
	r.expectFinding("backups", "WARN was made without the home of ann: it is away")
	r.put("backups/checked.json", backup.Checked{Name: "mews-1", At: time.Now(), Error: "a page is torn"})
	r.expectFinding("backups", "BAD the database in mews-1 is damaged: a page is torn")
}

func TestExamineDrill_Result_IsJudged(t *testing.T) {
	r := newRig(t)
	r.expectFinding("drill", "ok ")
	r.request(admin.MethodUserList, admin.UserRequest{}) // makes the database
	r.expectFinding("drill", "ok no backup was tried yet")
	result := restore.DrillResult{At: time.Now(), Backup: "/b/mews-1", Homes: 2}
	r.put("private/drill.json", result)
	r.expectFinding("drill", "ok /b/mews-1 can be restored")
	result.At = time.Now().AddDate(0, 0, -60)
	r.put("private/drill.json", result)
	r.expectFinding("drill", "WARN a backup was last tried 60 days ago")
	result.Failure = "mews.db is damaged"
	r.put("private/drill.json", result)
	r.expectFinding("drill", "BAD /b/mews-1 can't be restored: mews.db is damaged")
}

func TestUpdateFinding_ResultAndFeed_AreJudged(t *testing.T) {
	now := time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC)
	const feed = "https://example.org"
	for name, c := range map[string]struct {
		u     app.UpdateState
		feed  string
		daily bool
		warn  bool
		want  string
	}{
		"no feed": {app.UpdateState{}, "", false, false, "no releases are looked for"},
		"failed":  {app.UpdateState{Failure: "it is refused"}, feed, true, true, "the last one failed: it is refused"},
		"by hand": {app.UpdateState{FeedAt: now.AddDate(0, 0, -9)}, feed, false, false, "`mews update` installs"},
		"daily": {app.UpdateState{Result: "v2 is installed", FeedAt: now}, feed, true, false,
			"v2 is installed; the list"},
		"old":   {app.UpdateState{FeedAt: now.AddDate(0, 0, -9)}, feed, true, true, "was last read 9 days ago"},
		"never": {app.UpdateState{}, feed, true, false, "was never read"},
	} {
		got, err := updateFinding(c.u, c.feed, c.daily, now)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || c.warn != errors.As(err, new(*warning)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestExamineDrift_ChangedFile_IsNamed(t *testing.T) {
	for want, c := range map[string]struct {
		names []string
		err   error
	}{
		"ok all files are": {},
		"ok not compared":  {err: fs.ErrPermission},
		"BAD no disk":      {err: errors.New("no disk")},
		"WARN not as `mews install` has made it: a, b": {names: []string{"a", "b"}},
	} {
		e := examination{"drift", examineDrift}
		f := e.run(t.Context(), Options{Drift: func(context.Context) ([]string, error) { return c.names, c.err }})
		if got := f.Mark + " " + f.Text; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, err := examineDrift(t.Context(), Options{}); got != "" || err != nil {
		t.Errorf("without an installer: %q, %v", got, err)
	}
}
