package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mews/supervisor/internal/engine"
)

// MaxFiles is the largest number of searchable files in a home.
const MaxFiles = 20_000

// ErrContradictoryReport is the error for a report that contradicts an earlier report.
var ErrContradictoryReport = errors.New("that does not follow from what was told before")

// HomeUpdate updates the index from a worker's report on its user's home. The worker sends the
// names of all files, the sections of changed files, and the text of sections that the index does
// not have. Its methods are called one after the other. An interrupted update keeps the files that
// it completed.
type HomeUpdate struct {
	index       *Index
	user        string
	known       map[string]HomeFile // indexed files by path; nil before the worker's first page
	named       map[string]bool
	batch       []HomeFile           // files that are stored when no section is missing
	missing     map[SectionHash]bool // sections of the batch that the index lacks
	removeUntil time.Time            // time at which removing sections must stop
	unfinished  bool                 // whether the index still has some files in their old state
}

// BeginHomeUpdate begins an update of a user's home.
func (x *Index) BeginHomeUpdate(user string) *HomeUpdate {
	return &HomeUpdate{index: x, user: user, named: map[string]bool{}, removeUntil: x.o.Now().Add(updateTime)}
}

// AddFiles takes a page of the home's files. It returns the positions of the files that differ in
// the index.
func (u *HomeUpdate) AddFiles(ctx context.Context, page []HomeFile) (differing []int, err error) {
	if err := u.load(ctx); err != nil {
		return nil, err
	}
	for i, f := range page {
		if u.named[f.Path] || len(u.named) == MaxFiles {
			return nil, fmt.Errorf("file %.80q behind %d: %w", f.Path, len(u.named), ErrContradictoryReport)
		}
		u.named[f.Path] = true
		if known, ok := u.known[f.Path]; !ok || known.Size != f.Size || !known.Modified.Equal(f.Modified) {
			differing = append(differing, i)
		}
	}
	return differing, nil
}

// load reads the list of indexed files, once.
func (u *HomeUpdate) load(ctx context.Context) error {
	if u.known != nil {
		return nil
	}
	list, err := u.index.HomeManifest(ctx, u.user)
	u.known = make(map[string]HomeFile, len(list))
	for _, f := range list {
		u.known[f.Path] = f
	}
	return err
}

// AddSections takes the sections of files, and returns the missing ones. The files are stored once
// the missing sections are stored.
func (u *HomeUpdate) AddSections(ctx context.Context, batch []HomeFile) ([]SectionHash, error) {
	if len(u.missing) > 0 {
		return nil, fmt.Errorf("%d sections are missing: %w", len(u.missing), ErrContradictoryReport)
	}
	u.missing = map[SectionHash]bool{}
	for _, f := range batch {
		if !u.named[f.Path] {
			return nil, fmt.Errorf("file %.80q: %w", f.Path, ErrContradictoryReport)
		}
		for _, s := range f.Sections {
			u.missing[s.Hash] = true
		}
	}
	list, err := u.index.MissingSections(ctx, u.user, slices.Sorted(maps.Keys(u.missing)))
	if err != nil {
		return nil, err
	}
	u.batch = batch
	clear(u.missing)
	for _, hash := range list {
		u.missing[hash] = true
	}
	return list, u.putBatch(ctx)
}

// StoreSections stores missing sections.
func (u *HomeUpdate) StoreSections(ctx context.Context, list []Section) error {
	for _, s := range list {
		if !u.missing[s.Hash] {
			return fmt.Errorf("section %s: %w", s.Hash, ErrContradictoryReport)
		}
		delete(u.missing, s.Hash)
	}
	if err := u.index.PutSections(ctx, u.user, list); err != nil {
		return err
	}
	return u.putBatch(ctx)
}

// putBatch stores the batch once no section is missing.
func (u *HomeUpdate) putBatch(ctx context.Context) error {
	if len(u.missing) > 0 {
		return nil
	}
	batch := u.batch
	u.batch = nil
	return u.putManifest(ctx, batch, nil)
}

// End ends the update. Unless more is set, files that the worker did not name are gone. The result
// left reports whether some files must wait for another update.
func (u *HomeUpdate) End(ctx context.Context, report HomeCoverage, more bool) (left bool, err error) {
	if len(u.missing) > 0 {
		return false, fmt.Errorf("%d sections are missing: %w", len(u.missing), ErrContradictoryReport)
	}
	var gone []string
	if err := u.load(ctx); err != nil {
		return false, err
	}
	for path := range u.known {
		if !more && !u.named[path] {
			gone = append(gone, path)
		}
	}
	err = u.putManifest(ctx, nil, gone)
	if err == nil && !more {
		report.At = u.index.o.Now()
		err = u.index.keepReport(ctx, u.user, report)
	}
	return u.unfinished, err
}

// updateTime is the time limit of an update, which is half of the operation's time.
const updateTime = time.Minute

// putManifest calls SetManifest after removing old sections. Files that it cannot finish within the
// update's time wait for another update.
func (u *HomeUpdate) putManifest(ctx context.Context, changed []HomeFile, gone []string) error {
	hashes, paths := []SectionHash{}, gone
	for _, f := range changed {
		paths = append(paths, f.Path)
		for _, p := range f.Sections {
			hashes = append(hashes, p.Hash)
		}
	}
	kept, err := json.Marshal(hashes)
	for _, path := range paths {
		_, known := u.known[path]
		for n := removeBatch; known && !u.unfinished && err == nil && n == removeBatch; {
			n, err = u.index.removeStale(ctx, u.user, path, string(kept))
			u.unfinished = n > 0 && u.index.o.Now().After(u.removeUntil)
		}
	}
	if err != nil || u.unfinished {
		return err
	}
	return u.index.SetManifest(ctx, u.user, changed, gone)
}

// HomeCoverage says how much of a user's home can be searched.
type HomeCoverage struct {
	At       time.Time `json:"at"` // time of the last update; zero means none
	Files    int       `json:"-"`  // number of searchable files
	Sections int       `json:"-"`  // number of sections in the searchable files
	Bytes    int64     `json:"-"`  // bytes of the searchable files
	// Large is the number of files that are too large to search. The next fields count other files
	// that can't be searched.
	Large      int `json:"large"`
	NotText    int `json:"not_text"`   // number of files that are no text
	Unreadable int `json:"unreadable"` // number of unreadable files
	Excess     int `json:"excess"`     // number of files beyond MaxFiles
}

const (
	keepHomeReport = `INSERT INTO setting (user, name, value) VALUES (?, 'home', ?) ON CONFLICT (user, name) DO UPDATE SET value = excluded.value`
	findHomeReport = `SELECT value FROM setting WHERE user = ? AND name = 'home'`
	countPlaces    = `SELECT count(DISTINCT path), count(*) FROM place WHERE user = ?`
	countFiles     = `SELECT count(*) FROM file WHERE user = ?`
	sumFiles       = `SELECT coalesce(sum(size), 0) FROM file WHERE user = ?1 AND path IN (SELECT path FROM place WHERE user = ?1)`
)

func (x *Index) keepReport(ctx context.Context, user string, report HomeCoverage) error {
	value, err := json.Marshal(report)
	if err != nil {
		return err
	}
	return x.write(ctx, func(t *tx) error { return t.Exec(keepHomeReport, user, string(value)) }, "keep what is searched of the home of %s", user)
}

// HomeCoverage returns how much of a user's home can be searched.
func (x *Index) HomeCoverage(ctx context.Context, user string) (report HomeCoverage, err error) {
	db := x.openDB()
	if db == nil {
		return report, errNotOpen
	}
	read := db.Reader(ctx)
	report, err = findReport(read, user)
	if err == nil {
		err = read.Query(func(r *engine.Row) bool { r.Scan(&report.Files, &report.Sections); return true }, countPlaces, user)
	}
	if err == nil {
		report.Bytes, err = engine.FirstValue(read, engine.ScanInteger, sumFiles, user)
	}
	return report, x.explain(err, "read what is searched of the home of %s", user)
}

// findReport returns the report of the last complete update, without counts of the index.
func findReport(read engine.Querier, user string) (report HomeCoverage, err error) {
	value, known, err := engine.FirstRow(read, engine.ScanString, findHomeReport, user)
	if err == nil && known {
		err = json.Unmarshal([]byte(value), &report)
	}
	return report, err
}

// homeIncomplete says in words what a search cannot find in a user's home.
func homeIncomplete(read engine.Reader, q Query) (string, error) {
	if q.Scope == ScopeTranscript {
		return "", nil
	}
	report, err := findReport(read, q.User)
	switch {
	case err != nil:
		return "", err
	case report.Excess > 0:
		return fmt.Sprintf(textHomeExcess, MaxFiles, report.Excess), nil
	case !report.At.IsZero():
		return "", nil
	}
	switch files, err := engine.FirstValue(read, engine.ScanInteger, countFiles, q.User); {
	case err != nil || files == 0:
		return textHomeUnread, err
	default:
		return fmt.Sprintf(textHomeReading, files), nil
	}
}
