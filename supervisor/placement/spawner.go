package placement

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// InheritedSpawnerSocket returns the socket of the mews-spawner that started this process.
// nil means none.
func InheritedSpawnerSocket() (*os.File, error) {
	value, ok := os.LookupEnv(spawnerVariable)
	if !ok {
		return nil, nil
	}
	fd, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return nil, fmt.Errorf("the environment's %s is %q: it is for mews-spawner to set", spawnerVariable, value)
	}
	return os.NewFile(uintptr(fd), "spawner"), nil
}

// spawnerVariable is the environment variable with the descriptor of the mews-spawner that starts
// mews.
const spawnerVariable = "MEWS_SPAWNER_FD"

// spawnersWord stands before the spawner's last output in an error. The lines of the output are
// quoted as in Go.
const spawnersWord = "it wrote: mews-spawner: "

// SandboxError reduces an error to the spawner's output. The output has a line about the fault, and
// a line for each remedy. Errors without such output stay as they are.
func SandboxError(err error) error {
	if err == nil {
		return nil
	}
	_, quoted, found := strings.Cut(err.Error(), spawnersWord)
	text, bad := strconv.Unquote(`"` + quoted + `"`)
	if !found || bad != nil {
		return err
	}
	return errors.New(strings.TrimSpace(text))
}
