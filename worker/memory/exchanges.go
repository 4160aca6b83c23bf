package memory

import (
	"context"
	"strings"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/worker/workspace"
)

// forgetTurns finds the facts and notes that came from some turns. If gone is true, it deletes
// these facts and notes, and earlier versions that have them. A second call changes nothing more.
func (h *Home) forgetTurns(
	ctx context.Context, of protocol.TurnDataQuery, gone bool,
) (r protocol.MemoryResult, err error) {
	file, err := h.ReadMemoryFile()
	if err != nil {
		return r, err
	}
	found := file.FindByMessages(of.Messages)
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	var c Change
	if gone && len(ids) > 0 {
		_, c, err = h.removeFacts(ctx, ids, func(Change, []facts.Fact) error { return nil })
	}
	fillResult(&r, found, c)
	if err == nil {
		r.Notes, err = h.cutNotes(ctx, of, gone)
	}
	if err == nil && gone {
		err = h.forgetTurnVersions(ctx, of)
	}
	return r, err
}

// cutNotes counts the lines of daily notes that tools wrote in some turns. If gone is true, it
// deletes these lines.
func (h *Home) cutNotes(ctx context.Context, of protocol.TurnDataQuery, gone bool) (n int, err error) {
	if len(of.Notes) == 0 {
		return 0, nil
	}
	texts := map[string]bool{}
	for _, text := range of.Notes {
		texts[facts.CleanText(text)] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	days, err := h.days(ctx)
	for _, day := range days {
		if err != nil || day < of.From || day > of.To {
			continue
		}
		var text, left string
		if text, err = h.read(facts.NotesPath(day)); err != nil {
			return n, err
		}
		for line := range strings.Lines(text) {
			if _, said, found := strings.Cut(strings.TrimPrefix(line, "- "), " "); found && texts[strings.TrimSpace(said)] {
				n++
				continue
			}
			left += line
		}
		if gone && left != text {
			_, err = h.Files.WriteFile(facts.NotesPath(day), []byte(left), workspace.ModeReplace)
		}
	}
	return n, err
}
