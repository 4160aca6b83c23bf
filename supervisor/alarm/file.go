package alarm

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/hashicorp/go-hclog"
)

// readStates reads the alarms that an earlier run has kept. Without them, alarms may be told again.
func readStates(path string, log hclog.Logger) map[Name]state {
	all := map[Name]state{}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("the raised alarms of the last run can't be read; they may be told again", "error", err)
	}
	return all
}

// writeFile replaces a file. A crash leaves the old content or the new one.
func writeFile(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
