package index

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor/internal/engine"
)

// SectionHash is a hexadecimal digest of a section's heading and text. Equal sections are stored
// once.
type SectionHash string

// HomeFile is a text file of a home.
type HomeFile struct {
	Path     string // path relative to the home, with slashes
	Hash     string // state of the whole file, as in protocol.FileState; "" means unknown
	Size     int64
	Modified time.Time
	Sections []SectionPosition // sections in the order of the file
}

// SectionPosition is the position of a section in a file.
type SectionPosition struct {
	Hash SectionHash
	Line int // first line of the section, from 1
}

// Section is the text below one heading of a file, without the text below deeper headings. A long
// section should be split into several with the same heading, because a hit shows the whole
// section.
type Section struct {
	Hash          SectionHash
	Heading, Text string
}

const listFiles = `SELECT path, hash, size, modified FROM file WHERE user = ? ORDER BY path`

// HomeManifest lists the indexed files of a user's home, without their sections. Workers compare
// the list with the home.
func (x *Index) HomeManifest(ctx context.Context, user string) ([]HomeFile, error) {
	if x.reconciledDB() == nil {
		return nil, errNotOpen
	}
	return x.ListFiles(ctx, user)
}

// ListFiles lists the files of a user's home that can be searched now.
func (x *Index) ListFiles(ctx context.Context, user string) ([]HomeFile, error) {
	db := x.openDB()
	if db == nil {
		return nil, errNotOpen
	}
	list, err := engine.AllRows(db.Reader(ctx), scanFile, listFiles, user)
	return list, x.explain(err, "list what the index has of the home of %s", user)
}

const findHash = `SELECT id, heading, path, text FROM section WHERE user = ? AND hash = ? AND hash <> ''`

// MissingSections returns the sections of a user that the index does not have.
func (x *Index) MissingSections(ctx context.Context, user string, hashes []SectionHash) (missing []SectionHash, err error) {
	db := x.reconciledDB()
	if db == nil {
		return nil, errNotOpen
	}
	read := db.Reader(ctx)
	for _, h := range hashes {
		_, known, err := engine.FirstRow(read, scanSectionWords, findHash, user, h)
		if err != nil {
			return nil, x.explain(err, "look for sections of %s", user)
		}
		if !known {
			missing = append(missing, h)
		}
	}
	return missing, nil
}

const insertSection = `INSERT INTO section (user, at, hash, heading, text) VALUES (?, ?, ?, ?, ?)`

// PutSections stores sections of a user's home. Call SetManifest next, since a search finds only
// sections of a file. Sections without a file are deleted when the index is opened.
func (x *Index) PutSections(ctx context.Context, user string, list []Section) error {
	if x.reconciledDB() == nil {
		return errNotOpen
	}
	return x.write(ctx, func(t *tx) error {
		for _, s := range list {
			_, known, err := engine.FirstRow(t, scanSectionWords, findHash, user, s.Hash)
			if err != nil {
				return err
			}
			if known {
				continue
			}
			if err := t.Exec(insertSection, user, t.Now, s.Hash, s.Heading, s.Text); err != nil {
				return err
			}
		}
		return nil
	}, "keep sections of %s", user)
}

const (
	listPlaced   = `SELECT DISTINCT section FROM place WHERE user = ? AND path = ?`
	deletePlaces = `DELETE FROM place WHERE user = ? AND path = ?`
	deleteFile   = `DELETE FROM file WHERE user = ? AND path = ?`
	insertFile   = `INSERT INTO file (user, path, hash, size, modified) VALUES (?, ?, ?, ?, ?)`
	insertPlace  = `INSERT INTO place (user, path, position, line, section) VALUES (?, ?, ?, ?, ?)`
)

// SetManifest stores which files of a user's home are new, changed or gone. The sections of these
// files must be stored already. Name both paths of a moved file in one call, so that the file keeps
// its sections. Sections without a file are deleted, and none of their words stays in the index's
// files.
func (x *Index) SetManifest(ctx context.Context, user string, changed []HomeFile, gone []string) error {
	return x.write(ctx, func(t *tx) error {
		touched := map[int64]bool{}
		was, err := t.oldHashes(user, changed, gone)
		if err != nil {
			return err
		}
		for _, path := range gone {
			if err := t.dropFile(user, path, touched); err != nil {
				return err
			}
		}
		for _, f := range changed {
			if err := t.putFile(user, f, touched); err != nil {
				return err
			}
		}
		if err := t.putChanges(user, was, changed, gone); err != nil {
			return err
		}
		return t.placeAll(user, touched)
	}, "keep what the home of %s has", user)
}

// placeAll updates the paths of some sections, and stores the words of sections with a new path.
func (t *tx) placeAll(user string, touched map[int64]bool) error {
	var words []sectionWords
	for section := range touched {
		s, err := t.placeSection(user, section)
		if err != nil {
			return err
		}
		words = append(words, s...)
	}
	return t.putWords(user, words)
}

func (t *tx) dropFile(user, path string, touched map[int64]bool) error {
	placed, err := engine.AllRows(t, engine.ScanInteger, listPlaced, user, path)
	for _, section := range placed {
		touched[section] = true
	}
	if err == nil {
		err = t.Exec(deletePlaces, user, path)
	}
	if err == nil {
		err = t.Exec(deleteFile, user, path)
	}
	return err
}

func (t *tx) putFile(user string, f HomeFile, touched map[int64]bool) error {
	err := t.dropFile(user, f.Path, touched)
	if err == nil {
		err = t.Exec(insertFile, user, f.Path, f.Hash, f.Size, f.Modified.UnixNano())
	}
	for i, p := range f.Sections {
		if err != nil {
			return err
		}
		s, known, failed := engine.FirstRow(t, scanSectionWords, findHash, user, p.Hash)
		if err = failed; err == nil && !known {
			err = fmt.Errorf("put %s: section %s was not put before", f.Path, p.Hash)
		}
		if err == nil {
			err = t.Exec(insertPlace, user, f.Path, i, p.Line, s.id)
		}
		touched[s.id] = true
	}
	return err
}

const (
	listStale = `SELECT DISTINCT p.section FROM place p JOIN section s ON s.id = p.section
		WHERE p.user = ? AND p.path = ? AND s.hash NOT IN (SELECT j.value FROM json_each(?) j) LIMIT ?`
	deletePlace = `DELETE FROM place WHERE user = ? AND path = ? AND section = ?`
)

// removeStale removes some sections from a file, except those in a JSON list of hashes, and returns
// how many. Fewer than removeBatch means that all were removed. The file keeps its old state until
// SetManifest.
func (x *Index) removeStale(ctx context.Context, user, path, kept string) (n int, err error) {
	err = x.write(ctx, func(t *tx) error {
		stale, err := engine.AllRows(t, engine.ScanInteger, listStale, user, path, kept, removeBatch)
		touched := map[int64]bool{}
		for _, section := range stale {
			if err == nil {
				err = t.Exec(deletePlace, user, path, section)
			}
			touched[section] = true
		}
		n = len(stale)
		if err != nil {
			return err
		}
		return t.placeAll(user, touched)
	}, "take out what the home of %s has no more", user)
	return n, err
}

const (
	findSection = `SELECT id, heading, path, text FROM section WHERE user = ? AND id = ?`
	findPath    = `SELECT path FROM place INDEXED BY place_section WHERE user = ? AND section = ? ORDER BY path <> ?, path LIMIT 1`
	setPath     = `UPDATE section SET path = ? WHERE user = ? AND id = ?`
)

// placeSection sets the path of a section to a file that has the section. It keeps the current path
// if it can. It deletes a section without a file. If the section has a new path, placeSection
// returns the section, whose words must be stored again.
func (t *tx) placeSection(user string, section int64) ([]sectionWords, error) {
	s, err := engine.FirstValue(t, scanSectionWords, findSection, user, section)
	if err != nil {
		return nil, err
	}
	path, _, err := engine.FirstRow(t, engine.ScanString, findPath, user, section, s.path)
	if err != nil || path == s.path {
		return nil, err
	}
	if s.path != "" {
		t.ScrubJournal()
		err = t.removeWords(user, s)
	}
	switch {
	case err != nil:
		return nil, err
	case path == "":
		return nil, t.Exec(deleteSection, user, section)
	}
	s.path = path
	return []sectionWords{s}, t.Exec(setPath, path, user, section)
}
