package main

import (
	"errors"
	"os"

	"mews/worker/sandbox"
	"mews/worker/spawn"
)

// modes are what this program is when it executes itself.
var modes = map[string]func() error{
	sandbox.StageOneArgument:  sandbox.StageOne,
	sandbox.StageZeroArgument: sandbox.StageZero,
	"--version":               printVersion,
}

// exitStatus is a program's exit status after err.
func exitStatus(err error) int {
	var ended spawn.EndedError
	if errors.As(err, &ended) {
		return ended.Status
	}
	return 1
}

// supervise is the spawner that a service manager has started.
func supervise(args []string) error {
	if len(args) < 4 || args[2] != "--" {
		return errors.New("want mews-spawner --policy FILE -- PROGRAM and its arguments")
	}
	policy, err := spawn.OpenPolicy(args[1])
	if err != nil {
		return err
	}
	if os.Getuid() == 0 {
		return errors.New("as root it would start mews as root: start it as the service's account, with the capabilities " +
			"CAP_SETUID, CAP_SETGID and CAP_KILL (systemd: User= and AmbientCapabilities=)")
	}
	collectEarly()
	return spawn.Supervise(args[3:], spawn.Options{Policy: policy})
}
