package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mews/protocol/facts"
	"mews/worker/workspace"
)

// ChangeOptions holds the inputs of a change of MEMORY.md besides its words.
type ChangeOptions struct {
	Keep             workspace.BackupFunc // stores the file before the change; see workspace.RecordBeforeWrite
	Announce         func(Change) error
	HighestForgotten int            // highest number in a forgotten fact's id
	Uses             map[string]int // number of uses of each fact, by the fact's id
}

// FindContradictedFact returns the fact that a new fact contradicts. A fact with the same meaning
// is no conflict.
func (h *Home) FindContradictedFact(fact facts.Fact) (old facts.Fact, found bool, err error) {
	file, err := h.ReadMemoryFile()
	if err != nil {
		return old, false, err
	}
	return file.FindConflict(fact)
}

// RememberFact puts a fact into MEMORY.md, as File.Remember does.
func (h *Home) RememberFact(ctx context.Context, w ChangeOptions, fact facts.Fact, replace bool) (
	kept facts.Fact, c Change, err error) {
	c, err = h.change(ctx, w.Keep, w.Announce, func(file *facts.File) (err error) {
		kept, _, err = file.Remember(fact, replace, w.HighestForgotten)
		if errors.Is(err, facts.ErrFull) {
			err = fullError(file.Facts(), w.Uses)
		}
		return err
	})
	return kept, c, err
}

// fullError is the error of a full MEMORY.md. It names facts to forget.
func fullError(list []facts.Fact, uses map[string]int) error {
	var b strings.Builder
	for _, unused := range leastUsed(list, uses, 5) {
		fmt.Fprintf(&b, "\n%s %s", unused.ID, unused.Text)
	}
	return fmt.Errorf("%s is full: it has %d facts. These five were used least; forget some of them, or put facts together:%s",
		MemoryFileName, len(list), b.String())
}

// CorrectFact changes the words of a fact, and the other values that are set in fact. A second call
// changes nothing.
func (h *Home) CorrectFact(ctx context.Context, w ChangeOptions, id string, fact facts.Fact) (kept facts.Fact, c Change,
	err error) {
	c, err = h.change(ctx, w.Keep, w.Announce, func(file *facts.File) (err error) {
		kept, _, err = file.Correct(id, fact, w.HighestForgotten)
		return err
	})
	return kept, c, err
}

// ForgetFacts deletes facts, and returns the deleted facts. It calls told with these facts before
// it writes the file. Earlier versions with their words are deleted too, also by a repeated call.
func (h *Home) ForgetFacts(ctx context.Context, ids []string, told func(Change, []facts.Fact) error) (
	gone []facts.Fact, c Change, err error) {
	gone, c, err = h.removeFacts(ctx, ids, told)
	if err == nil {
		err = h.forgetFactVersions(ctx, ids, gone)
	}
	return gone, c, err
}

// removeFacts deletes facts from MEMORY.md. Earlier versions stay.
func (h *Home) removeFacts(ctx context.Context, ids []string, told func(Change, []facts.Fact) error) (
	gone []facts.Fact, c Change, err error) {
	announce := func(c Change) error { return told(c, gone) }
	c, err = h.change(ctx, nil, announce, func(file *facts.File) error {
		gone = file.Forget(ids)
		return nil
	})
	return gone, c, err
}
