// Package memory keeps the memory of a user in the home: facts in MEMORY.md, and a file of notes
// for each day. Only the files count, and a user may edit them.
package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/worker/workspace"
)

// Files and folders of the memory in a home.
const (
	MemoryFileName = "MEMORY.md"
	NotesFolder    = facts.NotesFolder
)

// maxFile bounds the bytes read of one file, and maxDays the number of note files.
const (
	maxFile = 1 << 20
	maxDays = 1000
)

// Home is the memory in a user's home.
type Home struct {
	Files *workspace.Workspace
	Zone  *time.Location // the user's time zone, in which days begin
	// Keep stores MEMORY.md before an operation corrects or imports facts; nil means that it is not
	// stored. Tools have their own function in ChangeOptions.
	Keep workspace.BackupFunc
	// Versions are the earlier versions of the files, which forgetting deletes too; nil means none.
	Versions Versions

	mu sync.Mutex // held while a file of the memory is read or changed
}

// ReadMemoryFile reads MEMORY.md. A missing file is empty.
func (h *Home) ReadMemoryFile() (*facts.File, error) {
	text, err := h.read(MemoryFileName)
	return facts.ParseFile(text), err
}

func (h *Home) read(name string) (string, error) {
	f, err := h.Files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s has more than 1 MiB", name)
	}
	return string(text), err
}

// Change describes a change of a file of the memory.
type Change struct {
	Before, After protocol.FileState
	Text          string // text of the file after the change
	Undo          *protocol.Undo
}

// change changes MEMORY.md by the function do. Before it writes the file, it passes the change to
// the function announce. If writing fails, it calls announce again with the reverse change. If a
// change is repeated after a crash, the file stays the same.
func (h *Home) change(ctx context.Context, keep workspace.BackupFunc, announce func(Change) error,
	do func(*facts.File) error) (c Change, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, err := h.read(MemoryFileName)
	file := facts.ParseFile(text)
	if err == nil {
		err = do(file)
	}
	if c = (Change{Before: facts.FileStateOf(text), After: facts.FileStateOf(file.String()),
		Text: file.String()}); err != nil || c.Before == c.After {
		return c, err
	}
	if _, missing := h.Files.Stat(MemoryFileName); errors.Is(missing, fs.ErrNotExist) {
		c.Before = protocol.FileStateAbsent
	}
	if announce != nil {
		if err := announce(c); err != nil {
			return c, err
		}
	}
	c.Undo = h.Files.RecordBeforeWrite(ctx, keep, MemoryFileName, []byte(c.Text))
	if _, err = h.Files.WriteFile(MemoryFileName, []byte(c.Text), workspace.ModeReplace); err != nil {
		if announce != nil {
			err = errors.Join(err, announce(Change{Before: c.After, After: c.Before, Text: text}))
		}
		return c, err
	}
	c.Undo = h.Files.RecordAfterWrite(c.Undo)
	return c, nil
}

// Note is a line of a daily note.
type Note struct {
	Day  string // day of the note, such as 2026-11-20
	Line int    // number of the line in the day's file, from 1
	Text string // text of the line, without the bullet's mark
}

// Path returns the path of the note's file.
func (n Note) Path() string { return facts.NotesPath(n.Day) }

// maxNotes bounds the notes of a day, in bytes. Prompts have the same bound
// (protocol.PromptFilePatterns).
const maxNotes = 64 << 10

// AddNote adds a line to the daily notes, for the day of the time at. It adds the same text at most
// once in a minute.
func (h *Home) AddNote(ctx context.Context, keep workspace.BackupFunc, at time.Time, text string) (name string,
	undo *protocol.Undo, err error) {
	if text = facts.CleanText(text); text == "" || len(text) > 4*protocol.MaxFactCharacters {
		return "", nil, fmt.Errorf("a note has 1 to %d bytes, and this has %d", 4*protocol.MaxFactCharacters, len(text))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	note := facts.NewNote(at.In(h.Zone), text)
	name = note.Path
	before, err := h.read(name)
	if err != nil || note.IsInText(before) {
		return name, nil, err
	}
	if len(before)+len(note.Line) >= maxNotes {
		return name, nil, fmt.Errorf("%s is full: it has %d bytes of %d", name, len(before), maxNotes)
	}
	undo = h.Files.RecordBeforeWrite(ctx, keep, name, nil)
	if _, err = h.Files.AppendFile(name, []byte(note.Line+"\n")); err != nil {
		return name, nil, err
	}
	return name, h.Files.RecordAfterWrite(undo), nil
}

// NotesOfDay returns the lines of a day's notes that are not empty.
func (h *Home) NotesOfDay(day string) (notes []Note, err error) {
	text, err := h.read(facts.NotesPath(day))
	return parseNotes(day, text), err
}

// parseNotes returns the lines of a day's text that are not empty.
func parseNotes(day, text string) (notes []Note) {
	n := 0
	for raw := range strings.Lines(text) {
		n++
		said := strings.TrimSpace(raw)
		if mark := facts.BulletPattern.FindStringSubmatch(said); mark != nil {
			said = mark[2]
		}
		if said != "" && !strings.HasPrefix(said, "#") {
			notes = append(notes, Note{Day: day, Line: n, Text: said})
		}
	}
	return notes
}

// days lists the days that have notes, the newest first.
func (h *Home) days(ctx context.Context) (days []string, err error) {
	err = h.Files.Walk(ctx, NotesFolder, func(e workspace.Entry) error {
		day, isText := strings.CutSuffix(path.Base(e.Path), ".md")
		if _, notDate := time.Parse(time.DateOnly, day); isText && notDate == nil && path.Dir(e.Path) == NotesFolder {
			days = append(days, day)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.Reverse(days)
	return days[:min(len(days), maxDays)], err
}

// RecallMatches finds facts, other lines of MEMORY.md and notes that match a query's words. If
// texts has a file's path, RecallMatches uses that text instead of the file.
func (h *Home) RecallMatches(ctx context.Context, texts map[string]string, query string) ([]RecallMatch, error) {
	var all []RecallMatch
	for i, l := range facts.ParseFile(texts[MemoryFileName]).Lines() {
		switch text := strings.TrimSpace(l.Raw); {
		case l.Fact != nil:
			fact := *l.Fact
			fact.Line = i + 1
			all = append(all, RecallMatch{Fact: fact, Path: MemoryFileName})
		case len(facts.UnaccentedWords(text)) > 0:
			all = append(all, RecallMatch{Fact: facts.Fact{Text: text, Line: i + 1}, Path: MemoryFileName})
		}
	}
	days, err := h.days(ctx)
	for _, day := range days {
		text, known := texts[facts.NotesPath(day)]
		notes := parseNotes(day, text)
		if !known {
			var fault error
			notes, fault = h.NotesOfDay(day)
			err = errors.Join(err, fault)
		}
		for _, n := range notes {
			all = append(all, RecallMatch{Fact: facts.Fact{Text: n.Text, Date: day, Line: n.Line}, Path: n.Path()})
		}
	}
	return search(all, query), err
}
