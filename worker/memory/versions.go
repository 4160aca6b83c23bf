package memory

import (
	"context"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/facts"
)

// Versions are the earlier versions of the home's files.
type Versions interface {
	EachVersion(ctx context.Context, path string, visit func(text []byte) error) error
	Search(ctx context.Context, paths, phrases []string) ([]string, error)
	// ForgetTraces deletes all versions of paths except the present ones, and all other places with
	// one of the phrases or a command of one of the turns.
	ForgetTraces(ctx context.Context, paths, phrases []string, turns []int64) (int64, error)
}

// forgetVersions deletes the earlier versions of MEMORY.md and of daily notes, if a version has one
// of the phrases, or words of a fact that is wanted. It begins with the notes, because a repeated
// call needs the words in the versions of MEMORY.md. The caller has changed the files themselves
// before.
func (h *Home) forgetVersions(ctx context.Context, wanted func(facts.Fact) bool, phrases []string,
	turns []int64) error {
	if h.Versions == nil {
		return nil
	}
	err := h.Versions.EachVersion(ctx, MemoryFileName, func(text []byte) error {
		for _, fact := range facts.ParseFile(string(text)).Facts() {
			if wanted(fact) && !slices.Contains(phrases, fact.Text) {
				phrases = append(phrases, fact.Text)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	found, err := h.Versions.Search(ctx, []string{MemoryFileName, NotesFolder}, phrases)
	if err != nil {
		return err
	}
	notes := slices.DeleteFunc(slices.Clone(found), func(path string) bool { return path == MemoryFileName })
	if _, err := h.Versions.ForgetTraces(ctx, notes, phrases, turns); err != nil || len(notes) == len(found) {
		return err
	}
	_, err = h.Versions.ForgetTraces(ctx, []string{MemoryFileName}, phrases, turns)
	return err
}

// findEarlierFact returns the last fact with an id that a version of MEMORY.md has, without a line.
// If there is none, it returns nil.
func (h *Home) findEarlierFact(ctx context.Context, id string) (list []facts.Fact, err error) {
	if h.Versions == nil {
		return nil, nil
	}
	err = h.Versions.EachVersion(ctx, MemoryFileName, func(text []byte) error {
		if f, ok := facts.ParseFile(string(text)).FindFact(id); ok {
			f.Line = 0
			list = []facts.Fact{f}
		}
		return nil
	})
	return list, err
}

// forgetFactVersions deletes the earlier versions with the words of some facts.
func (h *Home) forgetFactVersions(ctx context.Context, ids []string, gone []facts.Fact) error {
	var phrases []string
	for _, fact := range gone {
		phrases = append(phrases, fact.Text)
	}
	return h.forgetVersions(ctx, func(f facts.Fact) bool { return hasID(ids, f.ID) }, phrases, nil)
}

func hasID(ids []string, id string) bool {
	return slices.ContainsFunc(ids, func(wanted string) bool { return strings.EqualFold(wanted, id) })
}

// forgetTurnVersions deletes the earlier versions with facts or notes of some turns.
func (h *Home) forgetTurnVersions(ctx context.Context, of protocol.TurnDataQuery) error {
	var phrases []string
	for _, text := range of.Notes {
		phrases = append(phrases, facts.CleanText(text))
	}
	return h.forgetVersions(ctx, func(f facts.Fact) bool {
		return f.Message > 0 && slices.Contains(of.Messages, f.Message)
	}, phrases, of.Turns)
}
