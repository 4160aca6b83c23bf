package main

import (
	"errors"
	"os"
	"path/filepath"

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
	program := append([]string{besideThis(args[3])}, args[4:]...)
	policy.Worker = besideThis(policy.Worker)
	return spawn.SuperviseProgram(program, spawn.Options{Policy: policy})
}

// besideThis returns the program at path. If this process was started through the same folder,
// which may be a link, the result is in the folder of this process's own program. So all programs
// of a run are of one version, even if the link moves during the start.
func besideThis(path string) string {
	self, err := os.Executable() // the path of the program itself, without links
	if err != nil || filepath.Dir(path) != filepath.Dir(os.Args[0]) {
		return path
	}
	return filepath.Join(filepath.Dir(self), filepath.Base(path))
}
