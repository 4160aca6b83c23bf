package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/worker/workspace"
)

// ChangeOptions holds the inputs of a change of MEMORY.md besides its words.
type ChangeOptions struct {
	Keep             workspace.StoreFunc // stores the file before the change; see workspace.RecordBeforeWrite
	Announce         func(Change) error
	HighestForgotten int            // highest number in a forgotten fact's id
	Uses             map[string]int // uses of facts, by id
}

// FindConflict returns the fact that a new fact contradicts. A fact with the same meaning is no
// conflict.
func (h *Home) FindConflict(fact Fact) (old Fact, found bool, err error) {
	file, err := h.ReadFile()
	if err == nil {
		err = fact.check()
	}
	if err != nil {
		return old, false, err
	}
	if _, same := findSame(file.Facts(), fact.Text); same {
		return old, false, nil
	}
	old, found = findContradicted(file.Facts(), fact)
	return old, found, nil
}

// RememberFact puts a fact into MEMORY.md. It replaces the fact with the same meaning. If replace
// is set, it replaces the contradicted fact. Otherwise it adds a fact, or fails if the fact
// contradicts another. A second call with the same fact changes nothing.
func (h *Home) RememberFact(ctx context.Context, w ChangeOptions, fact Fact, replace bool) (kept Fact,
	c Change, err error) {
	var replaced *protocol.MemoryConflict
	announce := w.Announce
	if announce != nil {
		announce = func(c Change) error {
			c.Replaced, replaced = replaced, nil // the reverse change replaces nothing
			return w.Announce(c)
		}
	}
	c, err = h.change(ctx, w.Keep, announce, func(file *File) error {
		if err := fact.check(); err != nil {
			return err
		}
		facts := file.Facts()
		old, known := findSame(facts, fact.Text)
		if !known {
			var contrary bool
			old, contrary = findContradicted(facts, fact)
			known = contrary && replace
			switch {
			case contrary && !replace:
				return errors.New("another fact about this has come meanwhile; try again")
			case contrary:
				replaced = &protocol.MemoryConflict{ID: old.ID, Text: old.Text}
			}
		}
		if !known {
			kept, err = file.add(w, fact)
			return err
		}
		if fact.ID = old.ID; fact.Subject == "" {
			fact.Subject = old.Subject
		}
		kept = file.put(old.ID, fact, w.HighestForgotten)
		return nil
	})
	return kept, c, err
}

// add adds a fact if there is room.
func (f *File) add(w ChangeOptions, fact Fact) (Fact, error) {
	facts := f.Facts()
	if len(facts) < protocol.MaxFacts {
		return f.put("", fact, w.HighestForgotten), nil
	}
	var b strings.Builder
	for _, unused := range leastUsed(facts, w.Uses, 5) {
		fmt.Fprintf(&b, "\n%s %s", unused.ID, unused.Text)
	}
	return fact, fmt.Errorf("%s is full: it has %d facts. These five were used least; forget some of them, or put facts together:%s", MemoryFileName, len(facts), b.String())
}

// CorrectFact changes the words of a fact, and the other values that are set in fact. A second call
// changes nothing.
func (h *Home) CorrectFact(ctx context.Context, w ChangeOptions, id string, fact Fact) (kept Fact, c Change,
	err error) {
	c, err = h.change(ctx, w.Keep, w.Announce, func(file *File) error {
		old, known := file.FindFact(id)
		if !known { // a fact written by hand gets another id if its text changes
			if old, known = findSame(file.Facts(), fact.Text); !known {
				return noFact(id)
			}
		}
		fact.ID = old.ID
		if fact.Kind == "" {
			fact.Kind = old.Kind
		}
		if fact.Subject == "" {
			fact.Subject = old.Subject
		}
		if err := fact.check(); err != nil {
			return err
		}
		kept = file.put(old.ID, fact, w.HighestForgotten)
		return nil
	})
	return kept, c, err
}

func noFact(id string) error {
	return fmt.Errorf("there is no fact %.20s; recall shows the ids", id)
}

// ForgetFacts deletes facts, and returns those that existed. It calls told with them before it
// writes the file.
func (h *Home) ForgetFacts(ctx context.Context, ids []string, told func(Change, []Fact) error) (gone []Fact, c Change,
	err error) {
	announce := func(c Change) error { return told(c, gone) }
	c, err = h.change(ctx, nil, announce, func(file *File) error {
		for _, id := range ids {
			if fact, known := file.FindFact(id); known {
				gone = append(gone, fact)
				file.delete(id)
			}
		}
		return nil
	})
	return gone, c, err
}
