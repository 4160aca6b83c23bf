package index

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Limits of stored changes of a home: their number and age.
const (
	maxChanges    = 40_000
	changesPeriod = 30 * 24 * time.Hour
)

const (
	findFileHash = `SELECT hash FROM file WHERE user = ? AND path = ?`
	insertChange = `INSERT INTO change (user, path, was, hash, size, modified, at) VALUES (?, ?, ?, ?, ?, ?, ?)`
	pruneChanges = `DELETE FROM change WHERE user = ?1 AND (at < ?2 OR id <= (SELECT id FROM change WHERE user = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?3))`
	findEpoch    = `SELECT name FROM epoch`
	lastChange   = `SELECT coalesce(max(id), 0) FROM change WHERE user = ?`
	listChanges  = `SELECT id, was, path, hash, size, modified FROM change WHERE user = ? AND id > ? ORDER BY id`
)

// oldHashes returns the hashes of files that will be changed or deleted. If the home was never read
// completely, it returns nil, and no difference counts as a change.
func (t *tx) oldHashes(user string, changed []HomeFile, gone []string) (was map[string]string, err error) {
	report, err := findReport(t, user)
	if err != nil || report.At.IsZero() {
		return nil, err
	}
	was = map[string]string{}
	paths := slices.Clone(gone)
	for _, f := range changed {
		paths = append(paths, f.Path)
	}
	for _, path := range paths {
		hash, known, err := engine.FirstRow(t, engine.ScanString, findFileHash, user, path)
		if err != nil {
			return nil, err
		}
		if !known {
			hash = supervisor.FileStateMissing
		}
		was[path] = hash
	}
	return was, nil
}

// putChanges stores the differences from the hashes that oldHashes returned.
func (t *tx) putChanges(user string, was map[string]string, putChanges []HomeFile, gone []string) (err error) {
	now := slices.Clone(putChanges)
	for _, path := range gone {
		now = append(now, HomeFile{Path: path, Hash: supervisor.FileStateMissing, Modified: time.Unix(0, 0)})
	}
	n := 0
	for _, f := range now {
		if hash, noted := was[f.Path]; noted && hash != f.Hash && err == nil {
			n++
			err = t.Exec(insertChange, user, f.Path, hash, f.Hash, f.Size, f.Modified.UnixNano(), t.Now)
		}
	}
	if err == nil && n > 0 {
		err = t.Exec(pruneChanges, user, t.Now-changesPeriod.Milliseconds(), maxChanges)
	}
	return err
}

// ListHomeFileChanges lists the files of a user's home that differ since a cursor, by path. It also
// returns the next cursor. A file that changed back is not listed. ok is false if the cursor
// belongs to another database: then the changes are unknown.
func (x *Index) ListHomeFileChanges(ctx context.Context, user string,
	since supervisor.HomeChangePosition) (list []supervisor.HomeFileChange, next supervisor.HomeChangePosition, ok bool,
	err error) {
	db := x.reconciledDB()
	if db == nil {
		return nil, next, false, errNotOpen
	}
	read := db.Reader(ctx)
	next.Epoch, err = engine.FirstValue(read, engine.ScanString, findEpoch)
	if next.Epoch != since.Epoch {
		if err == nil {
			next.ID, err = engine.FirstValue(read, engine.ScanInteger, lastChange, user)
		}
		return nil, next, false, x.explain(err, "find what has changed last in the home of %s", user)
	}
	next.ID = since.ID
	changes := map[string]supervisor.HomeFileChange{}
	err = read.Query(func(r *engine.Row) bool {
		c, modified := supervisor.HomeFileChange{}, int64(0)
		r.Scan(&next.ID, &c.Before, &c.Path, &c.After, &c.Size, &modified)
		c.Modified = time.Unix(0, modified)
		if earlier, known := changes[c.Path]; known {
			c.Before = earlier.Before
		}
		changes[c.Path] = c
		return true
	}, listChanges, user, since.ID)
	for _, c := range changes {
		if c.Before != c.After {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b supervisor.HomeFileChange) int { return cmp.Compare(a.Path, b.Path) })
	return list, next, true, x.explain(err, "list what has changed in the home of %s", user)
}

func scanFile(r *engine.Row) (f HomeFile) {
	var modified int64
	r.Scan(&f.Path, &f.Hash, &f.Size, &modified)
	f.Modified = time.Unix(0, modified)
	return f
}
