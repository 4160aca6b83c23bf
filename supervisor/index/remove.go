package index

import (
	"context"
	"errors"
	"fmt"

	"mews/supervisor/internal/engine"
)

// tx is a transaction of the index.
type tx struct {
	*engine.Tx
	needsVectors bool // whether the transaction adds sections that need vectors
}

// Each user's words are in a table of their own; %d is the user's id. The table stores no texts,
// because these are in the table section. A deletion must name the same words that were inserted
// (FTS5, contentless tables).
const (
	findPerson    = `SELECT id FROM person WHERE user = ?`
	insertPerson  = `INSERT INTO person (user) VALUES (?) RETURNING id`
	countSections = `UPDATE person SET sections = sections + ? WHERE user = ?`
	createWords   = `CREATE VIRTUAL TABLE words_%d USING fts5 (heading, text, content = '', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')`
	shredWords    = `INSERT INTO words_%[1]d (words_%[1]d, rank) VALUES ('secure-delete', 1)`
	insertWords   = `INSERT INTO words_%d (rowid, heading, text) VALUES (?, ?, ?)`
	deleteWords   = `INSERT INTO words_%[1]d (words_%[1]d, rowid, heading, text) VALUES ('delete', ?, ?, ?)`
	dropWords     = `DROP TABLE words_%d`
)

// putWords makes sections of a user searchable by their words. A transaction calls it once, at its
// end, because FTS5 flushes when another table is written. For the user's first section it creates
// the user's table.
func (t *tx) putWords(user string, list []sectionWords) error {
	if len(list) == 0 {
		return nil
	}
	id, known, err := engine.FirstRow(t, engine.ScanInteger, findPerson, user)
	if err == nil && !known {
		if id, err = t.Insert(insertPerson, user); err == nil {
			err = t.RunScript(fmt.Sprintf(createWords+";"+shredWords, id))
		}
	}
	if err == nil {
		err = t.Exec(countSections, len(list), user)
	}
	for _, s := range list {
		if err != nil {
			return err
		}
		err = t.Exec(fmt.Sprintf(insertWords, id), s.id, s.headingWords(), ftsText(s.text))
		if err == nil && t.needsVectors {
			err = t.Exec(awaitVector, user, s.id)
		}
	}
	return err
}

const (
	findByMessage = `SELECT id, heading, path, text FROM section WHERE user = ?1
		AND conversation IN (SELECT conversation FROM cursor WHERE user = ?1) AND message = ?2 AND hash = ''`
	deleteSection = `DELETE FROM section WHERE user = ? AND id = ?`
)

// sectionWords is a section with the texts that its words come from.
type sectionWords struct {
	id                  int64
	heading, path, text string
}

func scanSectionWords(r *engine.Row) (s sectionWords) {
	r.Scan(&s.id, &s.heading, &s.path, &s.text)
	return s
}

// headingWords returns the words of the section's heading and of its file's path.
func (s sectionWords) headingWords() string { return ftsText(s.heading + " / " + s.path) }

// removeWords deletes the words of a section, so that it is no longer found.
func (t *tx) removeWords(user string, s sectionWords) error {
	id, err := engine.FirstValue(t, engine.ScanInteger, findPerson, user)
	if err == nil {
		err = t.Exec(fmt.Sprintf(deleteWords, id), s.id, s.headingWords(), ftsText(s.text))
	}
	if err == nil {
		err = t.Exec(countSections, -1, user)
	}
	return err
}

// removeSection deletes a section and its words.
func (t *tx) removeSection(user string, s sectionWords) error {
	err := t.removeWords(user, s)
	if err == nil {
		err = t.Exec(deleteSection, user, s.id)
	}
	return err
}

// removeBatch is the number of sections deleted in one transaction. Each takes 10 ms, as its words
// are overwritten in the file.
const removeBatch = 10

// RemoveMessages deletes messages from the index after their deletion from the transcript. None of
// their words stays in the index's files. While the index is closed it does nothing, and reconcile
// deletes the messages at the next start.
func (x *Index) RemoveMessages(ctx context.Context, user string, ids []int64) error {
	for len(ids) > 0 {
		some := ids[:min(len(ids), removeBatch)]
		ids = ids[len(some):]
		if err := x.write(ctx, func(t *tx) error {
			t.ScrubJournal()
			for _, id := range some {
				s, ok, err := engine.FirstRow(t, scanSectionWords, findByMessage, user, id)
				if err == nil && ok {
					err = t.removeSection(user, s)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}, "take messages of %s out of the index", user); err != nil && !errors.Is(err, errNotOpen) {
			return err
		}
	}
	return removeSetAside(x.o.Path)
}

// eraseAll deletes a user's rows in all tables except the table of the user's words.
var eraseAll = []string{`DELETE FROM place WHERE user = ?`, `DELETE FROM file WHERE user = ?`, `DELETE FROM section WHERE user = ?`,
	`DELETE FROM cursor WHERE user = ?`, `DELETE FROM person WHERE user = ?`, `DELETE FROM setting WHERE user = ?`,
	`DELETE FROM change WHERE user = ?`}

// EraseUser deletes all data of a user. None of it stays in the index's files.
func (x *Index) EraseUser(ctx context.Context, user string) error {
	err := x.write(ctx, func(t *tx) error {
		t.ScrubJournal()
		id, known, err := engine.FirstRow(t, engine.ScanInteger, findPerson, user)
		if err == nil && known {
			err = t.RunScript(fmt.Sprintf(dropWords, id))
		}
		for _, statement := range eraseAll {
			if err == nil {
				err = t.Exec(statement, user)
			}
		}
		return err
	}, "erase %s from the index", user)
	if errors.Is(err, errNotOpen) {
		err = nil
	}
	return errors.Join(err, removeSetAside(x.o.Path))
}
