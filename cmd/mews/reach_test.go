package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// TestRun_UnreachableHome_NamesTheFolder: without its own mounts a worker reaches its home by the
// path. If a folder on the path is closed, the service does not start, and the error names the
// folder. Once the folder is open, the service starts.
func TestRun_UnreachableHome_NamesTheFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only where the service is root do workers have another account")
	}
	_, url := modeltest.NewServer(t, modeltest.FileWriterScript)
	h := apptest.NewService(t, url, "alice")
	h.AppendConfig("worker: {sandbox: landlock, sandbox_min: landlock}\n")
	homes := filepath.Dir(h.UserHome("alice"))
	chmod := func(mode os.FileMode) {
		for _, dir := range []string{filepath.Dir(h.Dir), h.Dir, homes} {
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod(0o700)
	out, err := exec.CommandContext(t.Context(), filepath.Join(h.Bin, "mews"), "run", "--config", h.Config).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "can't pass through "+homes+":") || !strings.Contains(string(out), "chmod o+x "+homes) {
		t.Fatalf("%v: %s", err, out)
	}
	chmod(0o711)
	h.Start()
	defer h.Stop()
	newNeighbour(h, "alice").ask("say hi")
}
