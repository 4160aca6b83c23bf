package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"

	"mews/supervisor/backup"
	"mews/supervisor/sqlite"
)

// drillName is the file in the private folder with the result of the last drill.
const drillName = "drill.json"

// DrillResult is the result of trying a backup without restoring it.
type DrillResult struct {
	At      time.Time `json:"at"`
	Backup  string    `json:"backup"` // folder of the backup
	MadeAt  time.Time `json:"made_at,omitzero"`
	Homes   int       `json:"homes"`             // archives whose checksums are right
	Sealed  int       `json:"sealed"`            // sealed archives that were not opened, without their key
	Failure string    `json:"failure,omitempty"` // "" means that the backup can be restored
}

// Drill tries a backup. It compares all checksums, and opens the database in the folder of OpenWork with
// this version's schema. With identities it opens all sealed archives too. It stores the result in the
// state folder; the error says only that this failed, or that ctx has ended.
func Drill(ctx context.Context, dir, state string, now time.Time, identities []age.Identity,
	open func(ctx context.Context, path string) error) (DrillResult, error) {
	r := DrillResult{At: now.UTC(), Backup: dir}
	err := r.try(ctx, dir, workFolder(state), identities, open)
	if ctx.Err() != nil {
		return r, context.Cause(ctx) // the backup may be whole
	}
	if err != nil {
		r.Failure = err.Error()
	}
	text, err := json.Marshal(r)
	if err == nil {
		err = writeFile(filepath.Join(state, "private", drillName), text)
	}
	return r, err
}

func (r *DrillResult) try(ctx context.Context, dir, work string, identities []age.Identity,
	open func(ctx context.Context, path string) error) (err error) {
	m, err := backup.Verify(ctx, dir)
	if err != nil {
		return err
	}
	r.MadeAt, r.Homes = m.MadeAt, len(m.Homes)
	for _, h := range m.Homes {
		if h.Sealed && len(identities) == 0 {
			r.Sealed++
		} else if err := checkSeal(ctx, dir, h, identities); err != nil {
			return err
		}
	}
	temp, err := os.MkdirTemp(work, "drill-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	path := filepath.Join(temp, databaseName)
	f, _ := m.FindFile(backup.DatabaseName)
	if err := copyChecked(ctx, filepath.Join(dir, f.Name), path, f.SHA256); err != nil {
		return err
	}
	if err := open(ctx, path); err != nil {
		return fmt.Errorf("open the database of the backup: %w", err)
	}
	if _, err := sqlite.ExamineDatabase(ctx, path); err != nil {
		return fmt.Errorf("check the database of the backup: %w", err)
	}
	return nil
}

// ReadDrill returns the result of the last drill. ok is false if there was none.
func ReadDrill(state string) (r DrillResult, ok bool, err error) {
	text, err := os.ReadFile(filepath.Join(state, "private", drillName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err == nil, err
}
