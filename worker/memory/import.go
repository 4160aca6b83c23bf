package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/worker/workspace"
)

// importer collects facts and notes of another assistant.
type importer struct {
	h      *Home
	today  string
	result *protocol.MemoryResult
	facts  []facts.Fact
	from   []string            // source file of each fact, in the order of the facts
	notes  map[string][]string // lines for the daily notes, by day
	found  bool                // whether the source has data of another assistant
	gone   map[string]bool     // digests of facts that the user has forgotten
}

// importMemory imports the memory of another assistant. This is Picobot's memory folder, or a file
// that EchOS has exported as JSON or Markdown. Picobot's folder has MEMORY.md and a file of notes
// for each day. importMemory skips facts and notes that are already there, and facts that were
// forgotten.
func (h *Home) importMemory(ctx context.Context, p protocol.MemoryParameters, now time.Time,
	r *protocol.MemoryResult) (none []facts.Fact, c Change, err error) {
	i := &importer{h: h, today: now.In(h.Zone).Format(time.DateOnly), result: r, notes: map[string][]string{}, gone: map[string]bool{}}
	for _, digest := range p.Forgotten {
		i.gone[digest] = true
	}
	root, err := h.Files.CleanPath(p.Path)
	if err == nil {
		_, err = h.Files.Stat(root)
	}
	if err != nil {
		return nil, c, err
	}
	err = h.Files.Walk(ctx, root, func(e workspace.Entry) error {
		if alone := e.Path == root; e.Err == nil && e.Info.Mode().IsRegular() && e.Path != MemoryFileName && (alone ||
			path.Dir(e.Path) == root) {
			i.read(e.Path, alone)
		}
		return nil
	})
	if err == nil && !i.found {
		err = fmt.Errorf("%q holds nothing of another assistant's: Picobot has a folder with MEMORY.md or notes such as 2026-01-02.md in it, "+
			"and EchOS exports a file that ends in .json or .md", p.Path)
	}
	if err == nil {
		c, err = i.keepFacts(ctx, p.HighestForgotten)
	}
	for _, day := range slices.Sorted(maps.Keys(i.notes)) {
		if err == nil {
			err = i.keepNotes(day)
		}
	}
	return nil, c, err
}

// skip records that a text is not imported, and why.
func (i *importer) skip(where, why string) {
	if len(i.result.NotImported) == protocol.MaxNotImportedNames {
		i.result.More++
		return
	}
	i.result.NotImported = append(i.result.NotImported, fmt.Sprintf("%.200s: %s", strings.ToValidUTF8(where, "?"), why))
}

// read reads one file, either alone or as part of a folder. It skips files at the paths of Mews's
// own notes, because these notes are already there.
func (i *importer) read(name string, alone bool) {
	text, err := i.h.read(name)
	base, kind := strings.TrimSuffix(path.Base(name), path.Ext(name)), path.Ext(name)
	_, notDay := time.Parse(time.DateOnly, base)
	isNotes := notDay == nil && kind == ".md"
	if !isNotes && path.Base(name) != MemoryFileName && !(alone && (kind == ".json" || kind == ".md")) {
		i.skip(name, "it is neither MEMORY.md nor the notes of a day")
		return
	}
	i.found = true
	switch {
	case err != nil:
		i.skip(name, err.Error())
	case kind == ".json":
		i.readRows(name, text)
	case isNotes && path.Dir(name) == NotesFolder:
		i.result.Known += strings.Count(text, "\n")
	case isNotes:
		i.readNotes(base, text)
	default:
		i.readText(name, text)
	}
}

// stamped matches a line of Picobot's notes.
var stamped = regexp.MustCompile(`^\[(\d{4}-\d\d-\d\dT[^\]]+)\] +(.*)$`)

// readNotes reads the notes of a day. A line with a time goes to the day of that time in the user's
// zone.
func (i *importer) readNotes(day, text string) {
	for raw := range strings.Lines(text) {
		on, line := day, strings.TrimSpace(raw)
		if mark := facts.BulletPattern.FindStringSubmatch(line); mark != nil {
			line = mark[2]
		}
		if m := stamped.FindStringSubmatch(line); m != nil {
			if at, err := time.Parse(time.RFC3339, m[1]); err == nil {
				at = at.In(i.h.Zone)
				on, line = at.Format(time.DateOnly), at.Format("15:04 ")+m[2]
			}
		}
		if line = facts.CleanText(line); line != "" && !strings.HasPrefix(line, "#") {
			i.notes[on] = append(i.notes[on], "- "+line)
		}
	}
}

// readText imports each line of Markdown as a fact, except headings.
func (i *importer) readText(name, text string) {
	for n, l := range facts.ParseFile(text).Lines() {
		where, said := fmt.Sprint(name, ":", n+1), strings.TrimSpace(l.Raw)
		switch {
		case l.Fact != nil:
			i.add(where, *l.Fact)
		case len(facts.UnaccentedWords(said)) > 0 && !strings.HasPrefix(said, "#"):
			i.add(where, facts.Fact{Text: said, Kind: facts.DefaultFactKind, Confidence: 1})
		}
	}
}

// echosRow is one entry of EchOS's memory, or one of its notes.
type echosRow struct {
	Subject, Content, Kind string
	Title                  string // title of the row, if it is a note
	Confidence             *float64
	Created                string
}

// readRows reads rows of JSON: a list, or an object of lists.
func (i *importer) readRows(name, text string) {
	lists := map[string]json.RawMessage{"": json.RawMessage(text)}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		clear(lists)
		if err := json.Unmarshal([]byte(text), &lists); err != nil {
			i.skip(name, err.Error())
			return
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		var rows []echosRow
		if err := json.Unmarshal(lists[key], &rows); err != nil {
			i.skip(name+" "+key, "it is no list of facts")
		}
		for n, r := range rows {
			where := fmt.Sprintf("%s %s[%d]", name, key, n)
			if r.Title != "" || r.Content == "" {
				i.skip(where, "it is a note, or has no content")
				continue
			}
			fact := facts.Fact{Text: r.Content, Kind: r.Kind, Confidence: 0.8, Subject: r.Subject}
			if r.Confidence != nil {
				fact.Confidence = *r.Confidence
			}
			if at, err := time.Parse(time.RFC3339, r.Created); err == nil {
				fact.Date = at.In(i.h.Zone).Format(time.DateOnly)
			}
			i.add(where, fact)
		}
	}
}

func (i *importer) add(where string, fact facts.Fact) {
	fact.ID, fact.Message = "", 0 // drops the id and the message of the other service
	if !slices.Contains(facts.FactKinds, fact.Kind) {
		fact.Kind = facts.DefaultFactKind
	}
	if fact.Date == "" {
		fact.Date = i.today
	}
	if err := fact.Normalize(); err != nil {
		i.skip(where, err.Error())
		return
	}
	i.facts, i.from = append(i.facts, fact), append(i.from, where)
}

func (i *importer) keepFacts(ctx context.Context, after int) (Change, error) {
	return i.h.change(ctx, i.h.Keep, nil, func(file *facts.File) error {
		for n, fact := range i.facts {
			if _, known := facts.FindSimilarFact(file.Facts(), fact.Text); known {
				i.result.Known++
			} else if i.gone[protocol.DigestWords(fact.Text)] {
				i.skip(i.from[n], "it was forgotten")
			} else if _, err := file.Add(fact, after); err != nil {
				i.skip(i.from[n], "MEMORY.md is full")
			} else {
				i.result.Added++
			}
		}
		return nil
	})
}

func (i *importer) keepNotes(day string) error {
	i.h.mu.Lock()
	defer i.h.mu.Unlock()
	there, err := i.h.read(facts.NotesPath(day))
	if err != nil {
		return err
	}
	known, text := strings.Split(there, "\n"), ""
	for _, line := range i.notes[day] {
		if slices.Contains(known, line) {
			i.result.Known++
			continue
		}
		i.result.Notes++
		known, text = append(known, line), text+line+"\n"
	}
	if text != "" {
		_, err = i.h.Files.AppendFile(facts.NotesPath(day), []byte(text))
	}
	return err
}
