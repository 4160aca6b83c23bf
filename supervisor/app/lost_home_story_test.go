package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// Homes of an earlier run are missing at a start. Mews makes empty homes in their place only if an
// admin asks for that.
func TestStart_LostHomes_AreNotReplaced(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "worker: {uids: ''}\n", "ann, role: admin, totp: 'off'")
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	homes := filepath.Join(l.Dir, "state", "homes")
	missing := func(path string) {
		t.Helper()
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was made again", path)
		}
	}
	remove := func(path string) {
		t.Helper()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	l.Start()
	l.mustRun("user", "add", "dan")
	l.mustRun("user", "add", "eve")
	l.Stop()
	l.Start()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the homes to be recorded", func() bool {
		return l.QueryCount("SELECT count(*) FROM setting WHERE name = 'home made'") == 2
	})
	l.Stop()

	remove(filepath.Join(homes, "dan"))
	l.mustRun("user", "list")
	l.Start()
	const lost = "is missing, with all their files"
	if said := runVerb(l, "doctor"); !strings.Contains(said, "the worker of dan can't be started: the folder of dan, "+
		filepath.Join(homes, "dan")+", "+lost) || strings.Contains(said, "worker of eve") {
		t.Errorf("doctor says\n%s", said)
	}
	if log := l.LogTail(); !strings.Contains(log, lost) {
		t.Errorf("the log says\n%s", log)
	}
	l.Stop()
	missing(filepath.Join(homes, "dan"))

	remove(homes)
	if said := runVerb(l, "run"); !strings.Contains(said,
		"is missing, with the files of dan, eve. Put the folder back") {
		t.Errorf("run says\n%s", said)
	}
	missing(homes)
	l.mustRun("user", "remove", "dan")
	l.mustRun("user", "remove", "eve")
	l.Start()
	l.Stop()
}
