// Package restore brings a backup back into an empty state folder.
//
// All of the backup is checked before the first write. Then its files, its database and the homes
// follow, each in a step of its own. The file restore.json in the state folder's private folder says
// how far the restore is. While it is there, no service starts, and only a restore of the same backup
// goes on. The database gets its name as the last act of its step, after sqlite.Restores has made it
// safe to serve.
package restore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/backup"
	"mews/supervisor/operation"
	"mews/supervisor/sqlite"
	"mews/supervisor/statefolder"
)

// Options configure a restore. The caller holds the lock of the state folder.
type Options struct {
	Dir   string // folder of the backup
	Named string // the folder or file that a person named; "" means Dir
	// Journal is the journal beside it; nil means that it is read. The backup may hold another.
	Journal    *Journal
	State      string // the state folder
	Identities []age.Identity
	// KeyConfigured means that the key of the second factors is in the configuration.
	KeyConfigured bool
	// Open makes the state folder and locks it. It is called once the backup was checked.
	Open func(ctx context.Context) error
	// Complete opens the database at a path, updates its schema, completes it, and closes it.
	//
	// journal: the journal of later acts was there. factorsEnded: a second factor has ended.
	Complete func(ctx context.Context, path string, r sqlite.Restore, journal bool) (factorsEnded bool, err error)
	// HomeOf returns the folder of a user's home. known is false if there is no such user.
	HomeOf func(user string) (folder string, known bool)
	// WithHomes makes the restored users and their empty homes known, starts workers, and calls work.
	// It is called once, after the database was restored.
	WithHomes func(ctx context.Context, work func(context.Context) error) error
	// Invite makes invites after second factors have ended. WithHomes's work calls it, also in a repeat.
	Invite func(ctx context.Context)
	// Unpack lets a user's worker write an archive into the user's home, except the files whose paths
	// have a SHA-256 in without.
	Unpack func(ctx context.Context, user string, a Archive, without []string) (operation.UnpackReport, error)
	// Progress reports what is done; nil means that nobody is told.
	Progress func(text string)

	after func(step string) error // called after each step; tests end the restore there
}

// named returns the backup as a person named it.
func (o Options) named() string { return cmp.Or(o.Named, o.Dir) }

// checked is a backup that was read whole.
type checked struct {
	manifest *backup.Manifest
	digest   string // SHA-256 of the manifest
	journal  Journal
}

// check reads the whole backup. It writes nothing.
func check(ctx context.Context, o Options) (c checked, err error) {
	dir := o.Dir
	if c.manifest, err = backup.Verify(ctx, dir); err != nil {
		return c, refuse(err)
	}
	if c.digest, err = sumOf(filepath.Join(dir, backup.ManifestName)); err != nil {
		return c, err
	}
	if _, err := sqlite.ExamineDatabase(ctx, filepath.Join(dir, backup.DatabaseName)); err != nil {
		return c, refuse(fmt.Errorf("check the backup %s: %w", dir, err))
	}
	if c.journal, err = readJournals(o); err != nil {
		return c, err
	}
	for _, h := range c.manifest.Homes {
		if err := checkSeal(ctx, dir, h, o.Identities); err != nil {
			return c, err
		}
	}
	return c, nil
}

// refuse returns an error about the backup for people.
func refuse(err error) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(textRefused, err), Err: err}
}

// Run restores a whole backup. After an error or a crash, a repeat goes on with the same backup.
func Run(ctx context.Context, o Options) (Report, error) {
	c, err := check(ctx, o)
	if err != nil {
		return Report{}, err
	}
	r := &restorer{Options: o, checked: c, report: Report{Backup: c.manifest, Journal: c.journal.Known,
		Skipped: c.journal.Skipped,
		Homes:   map[string]operation.UnpackReport{}}}
	_, r.report.SealKey = c.manifest.FindFile(backup.SealKeyName)
	r.repeat, r.report.Again, r.report.Open = later(c.journal.Acts, c.manifest.MadeAt)
	if err := o.Open(ctx); err != nil {
		return Report{}, err
	}
	if err := r.begin(); err != nil {
		return Report{}, err
	}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{{"begin", func(context.Context) error { return r.progress.save(o.State) }}, {"files", r.copyFiles},
		{"database", r.restoreDatabase}, {"homes", r.restoreHomes},
		{"end", func(context.Context) error { return r.progress.remove(o.State) }}} {
		err := step.run(ctx)
		if err == nil && o.after != nil {
			err = o.after(step.name)
		}
		if err != nil {
			return r.report, fmt.Errorf("restore %s: %w", o.Dir, err)
		}
	}
	return r.report, nil
}

// restorer is one run of a restore.
type restorer struct {
	Options
	checked
	progress progress
	repeat   []sqlite.RestoredAct // acts after the backup that the database repeats
	report   Report
}

// begin checks that the place is empty, or that the same restore was interrupted there.
func (r *restorer) begin() error {
	p, there, err := loadProgress(r.State)
	switch {
	case err != nil:
		return err
	case there && p.Backup != r.digest:
		return supervisor.Errorf(supervisor.CodeInvalid, textOtherRestore, r.State, p.Dir)
	case there:
		r.progress = p
		return nil
	}
	// a kill may have left the file before it got its name
	if err := os.Remove(progressPath(r.State) + ".part"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	used, err := statefolder.HasEarlierFiles(r.State)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(r.private(databaseName)); used || err == nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textNotEmpty, r.State)
	}
	for _, h := range r.manifest.Homes {
		folder, known := r.HomeOf(h.User)
		if !known {
			continue
		}
		if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 { // if it can't be read, its worker looks
			return supervisor.Errorf(supervisor.CodeInvalid, textHomeNotEmpty, h.User, folder)
		}
	}
	r.progress = progress{Backup: r.digest, Dir: r.named(), Homes: map[string]homeProgress{}}
	return nil
}

// databaseName is the name of the database in the private folder.
const databaseName = "mews.db"

func (r *restorer) private(name string) string { return filepath.Join(r.State, "private", name) }

// copyFiles copies the key of the second factors and the files that are still to be sent.
func (r *restorer) copyFiles(ctx context.Context) error {
	if err := os.MkdirAll(r.private("spool"), 0o700); err != nil {
		return err
	}
	for _, f := range r.manifest.Files {
		to := ""
		switch {
		case f.Name == backup.SealKeyName:
			to = r.private("seal.key")
		case filepath.Dir(f.Name) == "spool":
			to = r.private(f.Name)
		default:
			continue
		}
		if err := copyChecked(ctx, filepath.Join(r.Dir, f.Name), to, f.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// restoreDatabase copies the database, completes it, and gives it its name.
func (r *restorer) restoreDatabase(ctx context.Context) error {
	path := r.private(databaseName)
	if _, err := os.Lstat(path); err == nil {
		return nil // an interrupted run has completed it
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	partial := path + ".restoring"
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(partial + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, _ := r.manifest.FindFile(backup.DatabaseName)
	if err := copyChecked(ctx, filepath.Join(r.Dir, f.Name), partial, f.SHA256); err != nil {
		return err
	}
	ended, err := r.Complete(ctx, partial, sqlite.Restore{MadeAt: r.manifest.MadeAt,
		FactorsEnd: !r.report.SealKey && !r.KeyConfigured, Acts: r.repeat, Why: textWhyUnknown,
		Unanswered: textUnanswered}, r.journal.Known)
	if err != nil {
		return err
	}
	r.progress.FactorsEnded = ended
	if err := r.progress.save(r.State); err != nil {
		return err
	}
	if err := os.Rename(partial, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// Archive is the archive of a home, as the home's worker gets it.
type Archive interface {
	Ref() protocol.BlobRef
	ReadAt(p []byte, offset int64) (n int, err error)
}
