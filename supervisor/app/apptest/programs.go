// Package apptest runs the service with its three real programs. They are built once for all tests
// of a package; each service has a state folder of its own, which the test removes.
package apptest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// Main runs a package's tests, and fails if a goroutine is left at the end. As root, it first
// creates the workers' account. At the end it removes the built programs.
func Main(m *testing.M) {
	if err := ensureWorkersAccount(); err != nil {
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

// LinkProgramsBesideTest links the spawner and the worker beside the test's own program. A service
// inside the test looks for them there.
func LinkProgramsBesideTest(t testing.TB) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	programs := BuildPrograms(t)
	folders.Lock() // so that no other test goes on before both links are there
	defer folders.Unlock()
	for _, name := range []string{"mews-spawner", "mews-worker"} {
		link := filepath.Join(filepath.Dir(self), name)
		if slices.Contains(folders.made, link) {
			continue
		}
		if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(programs, name), link); err != nil {
			t.Fatal(err)
		}
		folders.made = append(folders.made, link)
	}
}

// BuildPrograms returns a folder with the three programs, built once for all tests.
func BuildPrograms(t testing.TB) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var (
	built   = sync.OnceValues(build)
	folders struct {
		sync.Mutex
		made []string
	}
)

// WorkersAccount is the account of the workers if the tests run as root.
const WorkersAccount = "mews"

// ensureWorkersAccount creates the workers' account, as `mews run` does if no account is
// configured.
func ensureWorkersAccount() error {
	if _, err := user.Lookup(WorkersAccount); err == nil || os.Getuid() != 0 {
		return nil
	}
	out, err := exec.Command("useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin",
		WorkersAccount).CombinedOutput()
	if err != nil {
		return fmt.Errorf("make the account %s: %w: %s", WorkersAccount, err, out)
	}
	return nil
}

// ChownToWorkers makes the workers' account the owner of a folder.
func ChownToWorkers(t testing.TB, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	account, err := user.Lookup(WorkersAccount)
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

// LinkerFlags are the linker flags of make build, for programs that tests run.
const LinkerFlags = "-s -w -X main.version=test"

// build builds the programs as `make build` does, so that nothing is compiled twice. `make scripts`
// sets MEWS_RACE_FLAGS, so that mews has the race detector, which needs cgo. The other two programs
// never have the detector, because it takes more memory than a worker may have. The tests in the
// packages of these two programs use the detector.
func build() (string, error) {
	dir, err := os.MkdirTemp("", "mews-programs-")
	if err != nil {
		return "", err
	}
	folders.Lock()
	folders.made = append(folders.made, dir)
	folders.Unlock()
	for _, program := range []string{"mews", "mews-spawner", "mews-worker"} {
		flags, cgo := []string{"-trimpath"}, "CGO_ENABLED=0"
		if race := os.Getenv("MEWS_RACE_FLAGS"); race != "" && program == "mews" {
			flags, cgo = strings.Fields(race), "CGO_ENABLED=1"
		}
		args := []string{"build", "-o", dir + string(filepath.Separator), "-ldflags", LinkerFlags}
		cmd := exec.Command("go", slices.Concat(args, flags, []string{"mews/cmd/" + program})...)
		cmd.Env = append(os.Environ(), cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build the programs: %w\n%s", err, out)
		}
	}
	return dir, nil
}
