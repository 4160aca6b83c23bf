package prompt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"mews/worker/workspace"
)

// The files of a home that go into its owner's prompts.
const (
	instructionsFile = "AGENTS.md"
	memoryFile       = "MEMORY.md"
)

// ReadFiles puts the files of the home into the parts. One that is not there is no error; one that cannot be read is
// left out, and the error says so.
func (p *Parts) ReadFiles(home *workspace.Workspace) error {
	var first, second error
	p.Instructions, first = readFile(home, instructionsFile, maxInstructions)
	p.Memory, second = readFile(home, memoryFile, maxMemory)
	return errors.Join(first, second)
}

// readFile reads a little more of a file than limit bytes, so that one which is cut can be told from one which is not.
func readFile(home *workspace.Workspace, name string, limit int64) (string, error) {
	file, err := home.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close() // opened for reading: there is nothing to lose
	text, err := io.ReadAll(io.LimitReader(file, limit+64))
	if err != nil {
		return "", fmt.Errorf("read %s for the prompt: %w", name, err)
	}
	return string(text), nil
}
