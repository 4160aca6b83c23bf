package sqlite

import (
	"context"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
)

// AcceptWrite puts the text of a permitted tool into force, just before the tool writes it. If the
// text in force no longer has the state in the argument before, AcceptWrite does nothing. A waiting
// text stays waiting.
func (s PromptFiles) AcceptWrite(
	ctx context.Context,
	user, path string,
	before, after protocol.FileState,
	text []byte,
) error {
	return s.db.write(ctx, func(t *tx) {
		f := findPromptFile(all(t, scanPromptFile, listPromptFiles, user, true), path)
		f.User, f.Path = user, path
		most := min(len(text), protocol.MaxPromptFileBytes(path))
		t.putPromptFile(f, promptFile{f.RecordWrite(before, after, text[:most]), f.card}, false)
	}, "advance %s of %s", path, user)
}

// RecordDecision accepts a waiting text, or records that an operation restored the old one. ok is
// false if no text with that path and state waits.
func (s PromptFiles) RecordDecision(ctx context.Context, d supervisor.PromptFileDecision) (ok bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		f := findPromptFile(all(t, scanPromptFile, listPromptFiles, d.User, true), d.Path)
		if f.Pending.Why == "" || f.Pending.State != d.State {
			return false
		}
		next := f
		if d.Operation == 0 {
			next.PromptFile = f.AcceptPending()
			t.audit(d.User, "prompt_file.accepted", d.Path)
		} else {
			next.PromptFile = f.RecordState(protocol.PromptFile{Path: f.Path, State: f.State}, false, false)
		}
		if d.Inverse.Path != "" {
			t.putEffect(
				supervisor.Effect{
					User:   d.User,
					Turn:   f.Pending.Turn,
					Call:   fmt.Sprint("undo ", d.Operation),
					Kind:   supervisor.EffectChangeUndone,
					Target: d.Path,
				},
			)
			if f.Pending.Turn != 0 { // only the restoring of a turn's change can be undone
				t.putUndo(d.User, f.Pending.Turn, d.Operation, d.Inverse)
			}
		}
		t.putPromptFile(f, next, true)
		return true
	}, "decide about %s of %s", d.Path, d.User)
}
