package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/app/apptest"
	"mews/supervisor/logging"
)

// newWorkerSpecs opens the parts of a service that place workers. more are lines of the
// configuration, which has the user ann with the workspace site.
func newWorkerSpecs(t *testing.T, more string) *service {
	t.Helper()
	apptest.LinkProgramsBesideTest(t)
	// without mounts of their own, workers with another account must pass through all folders above
	dir, err := os.MkdirTemp("", "mews-spec-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "mews.yaml")
	text := fmt.Sprintf("state: %[1]s/state\n%[2]s\nusers:\n"+
		"  - {name: ann, role: admin, home: %[1]s/ann, workspaces: [%[1]s/site]}\n", dir, more)
	if err := errors.Join(os.Chmod(dir, 0o711), os.Mkdir(filepath.Join(dir, "ann"), 0o700),
		os.Mkdir(filepath.Join(dir, "site"), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	apptest.ChownToWorkers(t, filepath.Join(dir, "ann"))
	cfg, err := readConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{storage: storage{config: cfg, log: logging.Discard(), now: time.Now}}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	for _, open := range []func(context.Context) error{s.openState, s.openStore, s.openModels, s.openPeople,
		s.startSpawner} {
		if err := open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A worker gets the room and the globs of its file history. It gets none if the room is 0B, and
// without walls.
func TestWorkerSpec_FileHistory_SendsItsLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		worker, excludes string
		want             *protocol.FileHistoryLimits
	}{
		"limits": {"sandbox: landlock, history: 300MiB", `"films/**", "*.iso"`,
			&protocol.FileHistoryLimits{Room: 300 << 20, Exclude: []string{"films/**", "*.iso"}}},
		"defaults": {"sandbox: landlock", "", &protocol.FileHistoryLimits{Room: 2 << 30, Exclude: []string{}}},
		"no room":  {"sandbox: landlock, history: 0B", `"*.iso"`, nil},
		"no walls": {"sandbox: off", `"*.iso"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			config := fmt.Sprintf("worker: {sandbox_min: off, %s}\nhistory: {exclude: [%s]}", c.worker, c.excludes)
			spec, err := newWorkerSpecs(t, config).workerSpec("ann")
			if err != nil {
				t.Fatal(err)
			}
			if got := spec.Hello.History; !reflect.DeepEqual(got, c.want) {
				t.Errorf("sent is %+v, want %+v", got, c.want)
			}
			if kept := spec.Location.HistoryPath == "ann.history"; kept != (c.want != nil) {
				t.Errorf("the worker gets the folder %q", spec.Location.HistoryPath)
			}
		})
	}
}

// Each tier has its own paths of the folders outside of the home.
func TestWorkspacePaths_EachTier_AreWorkersPaths(t *testing.T) {
	t.Parallel()
	for tier, want := range map[string]string{"namespaces": "/workspaces/site", "landlock": "", "off": ""} {
		t.Run(tier, func(t *testing.T) {
			s := newWorkerSpecs(t, "worker: {sandbox_min: off, sandbox: "+tier+"}")
			if want == "" {
				want = filepath.Join(filepath.Dir(s.config.State), "site")
			}
			if got := s.workspacePaths("ann"); !slices.Equal(got, []string{want}) {
				t.Errorf("the worker sees %q, want %q", got, want)
			}
		})
	}
}
