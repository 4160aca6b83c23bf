// Command mews-spawner starts the workers of mews. It is started by mews, never by hand: its descriptor 3 is a socket
// on which mews asks, and when that closes, it kills every worker and ends. Its first argument is the worker's program;
// more arguments are the only folders that homes may lie in.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mews/protocol/spawnwire"
	"mews/worker/spawn"
)

// version is set by the linker.
var version = "dev"

// socket is the descriptor that mews leaves open for its spawner.
const socket = 3

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("mews-spawner", version)
		return
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mews-spawner:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || !filepath.IsAbs(args[0]) {
		return errors.New("it is started by mews, with the absolute path of mews-worker as its first argument")
	}
	conn, err := spawnwire.NewConn(socket)
	if err != nil {
		return fmt.Errorf("it is started by mews, with its socket: %w", err)
	}
	return spawn.Run(conn, spawn.Options{Worker: args[0], Roots: args[1:]})
}
