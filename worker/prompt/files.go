package prompt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"mews/worker/workspace"
)

// The files of a home that go into the system text.
const (
	instructionsFile = "AGENTS.md"
	memoryFile       = "MEMORY.md"
)

// ReadFiles reads Instructions and Memory from the home. A file that does not exist is no error. A file that cannot be read
// is left out, and the error says so.
func (p *Parts) ReadFiles(home *workspace.Workspace) error {
	var first, second error
	p.Instructions, first = readFile(home, instructionsFile, maxInstructions)
	p.Memory, second = readFile(home, memoryFile, maxMemory)
	return errors.Join(first, second)
}

// readFile reads a file. Of a longer file it reads a little more than limit bytes, so that writeFile sees that it is longer.
func readFile(home *workspace.Workspace, name string, limit int64) (string, error) {
	file, err := home.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, limit+64))
	if err != nil {
		return "", fmt.Errorf("read %s for the prompt: %w", name, err)
	}
	return string(text), nil
}
