package restore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mews/supervisor"
)

// progressName is the file in the private folder that says how far a restore is.
const progressName = "restore.json"

// homeProgress says how far a home is.
type homeProgress string

const (
	homeBegun homeProgress = "begun" // the home was empty, and its worker may have written to it
	homeDone  homeProgress = "done"
)

// progress is what a repeated restore must know.
type progress struct {
	Backup string                  `json:"backup"` // SHA-256 of the backup's manifest
	Dir    string                  `json:"dir"`    // its folder, for people
	Homes  map[string]homeProgress `json:"homes"`
	// FactorsEnded means that second factors have ended, so that people need invites.
	FactorsEnded bool `json:"factors_ended,omitempty"`
}

func progressPath(state string) string { return filepath.Join(state, "private", progressName) }

// loadProgress returns the progress of an interrupted restore.
func loadProgress(state string) (p progress, there bool, err error) {
	text, err := os.ReadFile(progressPath(state))
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return p, false, fmt.Errorf("read the progress of a restore: %w", err)
	}
	if p.Homes == nil {
		p.Homes = map[string]homeProgress{}
	}
	return p, true, nil
}

func (p progress) save(state string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return writeFile(progressPath(state), text)
}

func (p progress) remove(state string) error {
	if err := os.Remove(progressPath(state)); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(progressPath(state)))
}

// writeFile replaces a file at once, with mode 0600.
func writeFile(path string, text []byte) error {
	f, err := os.OpenFile(path+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// RefuseUnfinished returns an error for people if a restore was interrupted. No
// service may start then.
func RefuseUnfinished(state string) error {
	p, there, err := loadProgress(state)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil // the caller can't use the folder either, and says so
	case err != nil:
		return err
	case there:
		return supervisor.Errorf(supervisor.CodeInvalid, textUnfinished, state, p.Dir)
	}
	return nil
}
