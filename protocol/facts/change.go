package facts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
)

// ErrFull is the error of a change that would exceed protocol.MaxFacts.
var ErrFull = errors.New("there is no room for another fact")

// defaultConfidence is the confidence of a fact if the model gives none.
const defaultConfidence = 0.9

// FactFromArguments makes a fact from the arguments of remember or update_memory. The fact's
// Message and Date are not set yet.
func FactFromArguments(a protocol.MemoryArguments) Fact {
	return Fact{Text: a.Text, Kind: a.Kind, Confidence: cmp.Or(a.Confidence, defaultConfidence), Subject: a.Subject}
}

// FileStateOf returns the state of a file with the given text: the SHA-256 of the text.
func FileStateOf(text string) protocol.FileState {
	sum := sha256.Sum256([]byte(text))
	return protocol.FileState(hex.EncodeToString(sum[:]))
}

// FindConflict returns the fact that a new fact contradicts. A fact with the same meaning is no
// conflict.
func (f *File) FindConflict(fact Fact) (old Fact, found bool, err error) {
	if err := fact.Normalize(); err != nil {
		return old, false, err
	}
	facts := f.Facts()
	if _, same := FindSimilarFact(facts, fact.Text); same {
		return old, false, nil
	}
	old, found = findContradicted(facts, fact)
	return old, found, nil
}

// Remember puts a fact into the file. A stored fact with the same meaning is replaced. If replace
// is set, a contradicted fact is replaced too; otherwise Remember fails because of it. A second
// call with the same fact changes nothing. replaced is the contradicted fact; it has no ID if no
// fact was contradicted. highest is the highest number in the ids of forgotten facts.
func (f *File) Remember(fact Fact, replace bool, highest int) (kept, replaced Fact, err error) {
	if err := fact.Normalize(); err != nil {
		return fact, replaced, err
	}
	facts := f.Facts()
	old, known := FindSimilarFact(facts, fact.Text)
	if !known {
		if old, known = findContradicted(facts, fact); known {
			replaced = old
		}
		if known && !replace {
			return fact, replaced, errors.New("another fact about this has come meanwhile; try again")
		}
	}
	if !known {
		kept, err = f.Add(fact, highest)
		return kept, replaced, err
	}
	if fact.ID = old.ID; fact.Subject == "" {
		fact.Subject = old.Subject
	}
	return f.put(old.ID, fact, highest), replaced, nil
}

// Add adds a fact behind the last fact. The caller has called Normalize on the fact. If the file
// has no room, the error is ErrFull.
func (f *File) Add(fact Fact, highest int) (kept Fact, err error) {
	if len(f.Facts()) >= protocol.MaxFacts {
		return fact, ErrFull
	}
	return f.put("", fact, highest), nil
}

// Correct changes the words of the fact with an id. It also changes the kind and the subject if
// they are set in fact. A second call changes nothing. old is the fact before the change.
func (f *File) Correct(id string, fact Fact, highest int) (kept, old Fact, err error) {
	old, known := f.FindFact(id)
	if !known { // a fact written by hand gets another id if its text changes
		if old, known = FindSimilarFact(f.Facts(), fact.Text); !known {
			return fact, old, fmt.Errorf("there is no fact %.20s; recall shows the ids", id)
		}
	}
	fact.ID = old.ID
	fact.Kind, fact.Subject = cmp.Or(fact.Kind, old.Kind), cmp.Or(fact.Subject, old.Subject)
	if err := fact.Normalize(); err != nil {
		return fact, old, err
	}
	return f.put(old.ID, fact, highest), old, nil
}

// Forget deletes the facts with these ids, and returns the deleted facts.
func (f *File) Forget(ids []string) (gone []Fact) {
	for _, id := range ids {
		if fact, known := f.FindFact(id); known {
			gone = append(gone, fact)
			f.delete(id)
		}
	}
	return gone
}

// FindByMessages lists the facts whose source is one of the given messages. It lists at most
// protocol.MaxFacts.
func (f *File) FindByMessages(messages []int64) (found []Fact) {
	for _, fact := range f.Facts() {
		if fact.Message > 0 && slices.Contains(messages, fact.Message) && len(found) < protocol.MaxFacts {
			found = append(found, fact)
		}
	}
	return found
}

// Note is a line of daily notes, with the path of its file.
type Note struct{ Path, Line string }

// NewNote returns the note of a text at a time. The time's zone decides on the day.
func NewNote(at time.Time, text string) Note {
	return Note{Path: NotesPath(at.Format(time.DateOnly)), Line: fmt.Sprintf("- %s %s", at.Format("15:04"),
		CleanText(text))}
}

// NotesFolder is the folder of daily notes in a home.
const NotesFolder = "memory"

// NotesPath returns the path of a day's notes. The day has the form 2026-11-20.
func NotesPath(day string) string { return NotesFolder + "/" + day + ".md" }

// IsInText reports whether a text of daily notes contains the note's line.
func (n Note) IsInText(text string) bool { return slices.Contains(strings.Split(text, "\n"), n.Line) }
