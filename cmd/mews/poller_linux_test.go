package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// TestVerbs_EpollUnavailable_NameTheError: a process that may open no more files stands for an
// account without epoll watches.
func TestVerbs_EpollUnavailable_NameTheError(t *testing.T) {
	mews := filepath.Join(apptest.BuildPrograms(t), "mews")
	// with more descriptors, a verb would come further and then crash
	for _, verb := range []string{"status", "doctor", "run"} {
		cmd := exec.Command("prlimit", "--nofile=5:5", mews, verb)
		cmd.Env = append(os.Environ(), "GOGC=off") // after a collection the runtime itself needs epoll, and crashes
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "mews: ") || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "epoll watches") {
			t.Errorf("%s: %v\n%s", verb, err, out)
		}
	}
}
