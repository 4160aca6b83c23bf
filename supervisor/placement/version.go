package placement

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mews/supervisor"
)

// versionTimeout is how long a program may take to print its version.
const versionTimeout = 10 * time.Second

// CheckVersions refuses a mews-spawner or mews-worker of another version.
func CheckVersions(ctx context.Context, version string) error {
	spawner, worker, err := FindSpawnerAndWorker()
	if err != nil {
		return err
	}
	checked := make(chan error, 1)
	go func() { checked <- checkVersion(ctx, spawner, version) }() // the line below waits for this goroutine
	return errors.Join(checkVersion(ctx, worker, version), <-checked)
}

// checkVersion refuses a program that prints another version, as in "mews-worker 1.2".
func checkVersion(ctx context.Context, path, version string) error {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{} // no environment, because the environment of this process has secrets
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("ask %s for its version: %w", path, err)
	}
	printed := strings.TrimSpace(string(out))
	if name := filepath.Base(path); printed != name+" "+version {
		other := strings.TrimSpace(strings.TrimPrefix(printed, name))
		return supervisor.Errorf(supervisor.CodeInvalid, textOtherProgram, path, other, version)
	}
	return nil
}
