package main

import (
	"errors"
	"os"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
	"mews/worker/spawn"
)

// modes maps the program's only argument to the function that runs. The program executes itself
// with the first three of these arguments.
var modes = map[string]func() error{
	sandbox.StageOneArgument:   sandbox.RunStageOne,
	sandbox.StageZeroArgument:  sandbox.RunStageZero,
	sandbox.MakeFolderArgument: sandbox.RunMakeFolder,
	"--version":                printVersion,
}

// exitStatus returns this program's exit status after err.
func exitStatus(err error) int {
	var ended spawn.ProgramExitError
	if errors.As(err, &ended) {
		return ended.Status
	}
	if spawnwire.IsShortage(err) {
		return spawnwire.ShortageExitStatus
	}
	return 1
}

// supervise runs the spawner that a service manager has started.
func supervise(args []string) error {
	if len(args) < 4 || args[2] != "--" {
		return errors.New(textUsage)
	}
	policy, err := spawn.ReadPolicyFile(args[1])
	if err != nil {
		return err
	}
	if os.Getuid() == 0 {
		return errors.New(textNotAsRoot)
	}
	collectEarly()
	return spawn.SuperviseProgram(args[3:], spawn.Options{Policy: policy})
}
