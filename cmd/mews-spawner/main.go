// Command mews-spawner starts the workers of mews, and leaves none of their processes alive. mews
// starts it. If people have their own accounts, the service manager starts mews-spawner, which then
// starts mews:
//
//	mews-spawner KEY=VALUE ...              its socket is descriptor 3; the keys are those of a policy
//	mews-spawner --policy FILE -- PROGRAM   root's file says what may be started; PROGRAM is mews, without privilege
//
// If the other side of its socket is gone, mews-spawner kills every worker and ends. It executes
// itself as the stages before a worker, which build the walls.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"mews/protocol/spawnwire"
	"mews/worker/spawn"
)

// version is set by the linker.
var version = "dev"

// socket is the descriptor that mews leaves open for its spawner.
const socket = 3

// init keeps main on the process's first thread if mews is started without privilege. Linux
// capabilities belong to a thread. Other processes take the capabilities of the first thread for
// those of the whole process.
func init() {
	if isSupervisor() {
		runtime.LockOSThread()
	}
}

// isSupervisor reports whether the service manager has started this process.
func isSupervisor() bool { return len(os.Args) > 1 && os.Args[1] == "--policy" }

func main() {
	run := serve
	if len(os.Args) == 2 && modes[os.Args[1]] != nil {
		run = func([]string) error { return modes[os.Args[1]]() }
	}
	if isSupervisor() {
		run = supervise
	}
	began := time.Now()
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mews-spawner:", err)
		pause(began)
		os.Exit(exitStatus(err))
	}
}

// settled is the running time after which a failure no longer counts as a failed start.
const settled = 5 * time.Second

// pause delays the end of a service that failed soon after its start. The unit's RestartSec makes
// systemd restart the service at once, and only systemd 254 and later can lengthen that delay. A
// signal ends the pause.
func pause(began time.Time) {
	if os.Getenv("INVOCATION_ID") == "" { // systemd sets INVOCATION_ID (systemd.exec(5))
		return
	}
	signal.Reset()
	time.Sleep(settled - time.Since(began))
}

func printVersion() error {
	_, err := fmt.Println("mews-spawner", version)
	return err
}

// serve runs the spawner for the mews process that has started it. The spawner has only the
// privileges of mews.
func serve(args []string) error {
	policy, err := parsePolicy(args)
	if err != nil {
		return fmt.Errorf(textWithPolicy, err)
	}
	conn, err := spawnwire.NewConn(socket)
	if err != nil {
		return fmt.Errorf(textWithSocket, err)
	}
	collectEarly()
	return spawn.Run(conn, spawn.Options{Policy: policy})
}

func parsePolicy(args []string) (p spawn.Policy, err error) {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		if err := p.SetKey(key, value); err != nil {
			return p, err
		}
	}
	return p, p.Validate()
}

// collectEarly keeps this permanent process small, by early garbage collection. A stage before a
// worker does not call it, because a stage ends before a collection would help.
func collectEarly() { debug.SetGCPercent(10) }
