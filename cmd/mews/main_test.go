package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if err := haveWorkers(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	for _, dir := range folders.made {
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
func programs(t testing.TB) string { return folder(t, built) }

// plainPrograms are the same without it, for a test that is about how much happens.
func plainPrograms(t testing.TB) string {
	if !raceDetector {
		return programs(t)
	}
	return folder(t, builtPlain)
}

func folder(t testing.TB, built func() (string, error)) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var (
	built      = sync.OnceValues(func() (string, error) { return build(raceDetector) })
	builtPlain = sync.OnceValues(func() (string, error) { return build(false) })
	folders    struct {
		sync.Mutex
		made []string
	}
)

// workersAccount is whose the workers are where the tests run as root.
const workersAccount = "mews"

// haveWorkers makes that account, as `mews run` does where nothing is configured.
func haveWorkers() error {
	if _, err := user.Lookup(workersAccount); err == nil || os.Getuid() != 0 {
		return nil
	}
	out, err := exec.Command("useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin",
		workersAccount).CombinedOutput()
	if err != nil {
		return fmt.Errorf("make the account %s: %w: %s", workersAccount, err, out)
	}
	return nil
}

// giveToWorkers has a folder belong to the account of workers.
func giveToWorkers(t testing.TB, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	account, err := user.Lookup(workersAccount)
	if err == nil {
		var out []byte
		if out, err = exec.Command("chown", "-Rh", account.Uid+":"+account.Gid, dir).CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// build builds the programs as people have them, or mews with the race detector, which needs cgo. The other two are
// as they are: the detector's memory is more than a worker may have, and their own packages' tests have it.
func build(race bool) (string, error) {
	dir, err := os.MkdirTemp("", "mews-programs-")
	if err != nil {
		return "", err
	}
	folders.Lock()
	folders.made = append(folders.made, dir)
	folders.Unlock()
	for _, program := range []string{"mews", "mews-spawner", "mews-worker"} {
		args, cgo := []string{"build", "-o", dir + string(filepath.Separator), "-ldflags", "-X main.version=test"}, "CGO_ENABLED=0"
		if race && program == "mews" {
			args, cgo = append(args, "-race"), "CGO_ENABLED=1"
		}
		cmd := exec.Command("go", append(args, "mews/cmd/"+program)...)
		cmd.Env = append(os.Environ(), cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build the programs: %w\n%s", err, out)
		}
	}
	return dir, nil
}
