// Command mews-update installs a release that mews has asked for. mews-update.service runs it as
// root, without a network:
//
//	mews-update             handle the waiting request, and finish an interrupted update
//	mews-update --version   print the version
//
// It trusts no file of the service. It copies the request to a folder of root, verifies that copy
// with its own keys, and installs it. Then it moves one instance after another to the new version.
// An instance that does not open returns to its old version. Each step first finds out whether it is
// done, so an interrupted run is finished by the next one.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"mews/supervisor/release"
)

// version is set by the linker.
var version = "dev"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("mews-update", version)
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mews-update:", err)
		os.Exit(1)
	}
}

func run() error {
	keys, err := release.CompiledKeys()
	if err != nil {
		return err
	}
	if os.Getuid() != 0 {
		return errors.New(textNotRoot)
	}
	u := updater{root: "/", keys: keys, platform: release.Platform(), now: time.Now, sleep: time.Sleep,
		command: runCommand, log: os.Stdout, done: func(string) error { return nil }}
	return u.run()
}

// commandTimeout limits every command, such as a preflight of a large database.
const commandTimeout = 20 * time.Minute

// runCommand runs a program with its arguments and returns all its output. The program has no input.
func runCommand(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	return string(out), err
}
