package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built(); err == nil {
		os.RemoveAll(dir)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// programs is a folder with the three programs, built once for all tests; with the race detector where the tests have it.
func programs(t testing.TB) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mews-programs-")
	if err != nil {
		return "", err
	}
	args := []string{"build", "-o", dir + string(filepath.Separator), "-ldflags", "-X main.version=test"}
	if raceDetector {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "mews/cmd/...")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return dir, nil
})
