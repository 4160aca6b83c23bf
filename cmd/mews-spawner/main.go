// Command mews-spawner starts the workers of mews, and leaves nothing of them alive. It is started by mews, or where
// people have accounts of their own by the service manager, and then starts mews itself:
//
//	mews-spawner KEY=VALUE ...              its socket is descriptor 3; the keys are those of a policy
//	mews-spawner --policy FILE -- PROGRAM   root's file says what may be started; PROGRAM is mews, with no privilege
//
// When the other side of its socket is gone it kills every worker and ends. It executes itself as the stages before a
// worker, which build the walls.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"mews/protocol/spawnwire"
	"mews/worker/spawn"
)

// version is set by the linker.
var version = "dev"

// socket is the descriptor that mews leaves open for its spawner.
const socket = 3

func main() {
	run := serve
	if len(os.Args) == 2 && modes[os.Args[1]] != nil {
		run = func([]string) error { return modes[os.Args[1]]() }
	}
	if len(os.Args) > 1 && os.Args[1] == "--policy" {
		run = supervise
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mews-spawner:", err)
		os.Exit(exitStatus(err))
	}
}

func printVersion() error {
	_, err := fmt.Println("mews-spawner", version)
	return err
}

// serve is the spawner of a mews that has started it, and which it may do no more than.
func serve(args []string) error {
	var policy spawn.Policy
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		if err := policy.Set(key, value); err != nil {
			return fmt.Errorf("it is started by mews, with its policy: %w", err)
		}
	}
	if err := policy.Check(); err != nil {
		return fmt.Errorf("it is started by mews, with its policy: %w", err)
	}
	conn, err := spawnwire.NewConn(socket)
	if err != nil {
		return fmt.Errorf("it is started by mews, with its socket: %w", err)
	}
	collectEarly()
	return spawn.Run(conn, spawn.Options{Policy: policy})
}

// collectEarly keeps a process small that is always there: it does little, and what it makes it throws away at once. A
// stage before a worker does without: it ends before there is anything worth collecting.
func collectEarly() { debug.SetGCPercent(10) }
