package alarm

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/hashicorp/go-hclog"
)

// kept is what a restart must not lose. It is one file, so that an alarm is never kept as raised
// without the message that tells the URL.
type kept struct {
	States map[Name]state `json:"states"`
	Queue  []Message      `json:"queue,omitempty"` // messages that the URL has not taken
}

// readKept reads what an earlier run has kept. Without it, alarms may be told again.
func readKept(path string, log hclog.Logger) (k kept) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("the raised alarms of the last run can't be read; they may be told again", "error", err)
		return kept{}
	}
	return k
}

// writeFile replaces a file. A crash leaves the old content or the new one.
func writeFile(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
