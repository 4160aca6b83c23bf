package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/protocol/facts"
	"mews/supervisor"
	"mews/supervisor/printable"
)

// RunAction asks a user's worker to list, correct, forget or import facts. It keeps forgotten facts
// from being remembered again.
func (m *Memory) RunAction(ctx context.Context, user string, p protocol.MemoryParameters) (
	r protocol.MemoryResult, err error) {
	stored, err := m.storedTexts(ctx, user)
	if err != nil {
		return r, err
	}
	// The forgotten fact is stored before the file changes. So after a crash the fact is not
	// remembered again.
	if p.Action == protocol.MemoryActionForget {
		shown, err := m.operate(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionShow, ID: p.ID})
		if err != nil || len(shown.Facts) == 0 {
			return shown, err
		}
		f := shown.Facts[0]
		if err := m.forgetFacts(ctx, user, []supervisor.ForgottenFact{{ID: f.ID, Text: f.Text,
			Message: f.Message}}); err != nil {
			return shown, err
		}
	}
	if p.Action == protocol.MemoryActionImport {
		p.Forgotten, err = m.o.Store.ListForgottenDigests(ctx, user)
	}
	if err == nil {
		_, _, p.HighestForgotten, err = m.o.Store.FindForgottenFact(ctx, user, 0, "")
	}
	if err == nil {
		r, err = m.operate(ctx, user, p)
	}
	changed := r.Before != r.After
	forgotten := p.Action == protocol.MemoryActionForget && len(r.Facts) > 0 // even if only earlier versions had it
	if err == nil && (changed || forgotten || r.Notes > 0) {
		e := supervisor.Effect{User: user, Kind: effects[p.Action], Target: cmp.Or(p.ID, p.Path)}
		if p.Action == protocol.MemoryActionImport {
			e.Detail = amount.Plural(r.Added, "fact", "facts") + ", " + amount.Plural(r.Notes, "note", "notes")
		}
		err = m.o.Effects.Put(ctx, e)
	}
	if err == nil && changed {
		if err = m.takeResult(ctx, user, stored, r, m.changeOf(user, p)); err == nil {
			// the next prompt must use the fact as the user has changed it
			err = m.o.SystemTexts.MarkStale(ctx, user)
		}
	}
	if err == nil && p.Action == protocol.MemoryActionForget {
		err = m.o.ForgetWords(ctx, user)
	}
	return r, err
}

// changeOf returns a function that changes the facts as an action does. For an import the function
// changes nothing: the imported text waits for the user, or counts as the user's own.
func (m *Memory) changeOf(user string, p protocol.MemoryParameters) func(*facts.File) {
	return func(file *facts.File) {
		switch p.Action {
		case protocol.MemoryActionCorrect:
			fact := facts.Fact{Text: p.Text, Confidence: 1, Date: m.day(user, 0)}
			_, _, _ = file.Correct(p.ID, fact, p.HighestForgotten) // after an error the text is unchanged
		case protocol.MemoryActionForget:
			file.Forget([]string{p.ID})
		}
	}
}

// CountMentions counts the rows that contain the words of a fact, by table.
func (m *Memory) CountMentions(ctx context.Context, user string, f protocol.MemoryFact) (map[string]int64, error) {
	return m.o.Store.CountFactMentions(ctx, user, supervisor.ForgottenFact{ID: f.ID, Text: f.Text})
}

// effects maps users' changes of their memory to kinds of effects in the ledger.
var effects = map[protocol.MemoryAction]string{protocol.MemoryActionCorrect: supervisor.EffectFactCorrected,
	protocol.MemoryActionForget: supervisor.EffectFactForgotten,
	protocol.MemoryActionImport: supervisor.EffectMemoryImported}

// CountOrDeleteTurnData counts or deletes the data of some turns in a user's home. It counts facts,
// notes and log entries. If gone is set, it also deletes them, and the facts are never remembered
// again.
func (m *Memory) CountOrDeleteTurnData(ctx context.Context, user string, of protocol.TurnDataQuery,
	gone bool) (n supervisor.ForgetCounts, err error) {
	r, err := m.operate(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionShow, Turns: &of})
	n = supervisor.ForgetCounts{Facts: int64(len(r.Facts)), Notes: int64(r.Notes), Logged: int64(r.Logs)}
	if err != nil || !gone {
		return n, err
	}
	// Even if the home has nothing any more, earlier versions of its files may have.
	// The forgotten facts are stored before the file changes. So after a crash the facts are not
	// remembered again.
	stored, err := m.storedTexts(ctx, user)
	if err != nil {
		return n, err
	}
	var forgotten []supervisor.ForgottenFact
	for _, f := range r.Facts {
		forgotten = append(forgotten, supervisor.ForgottenFact{ID: f.ID, Text: f.Text, Message: f.Message})
	}
	if err = m.forgetFacts(ctx, user, forgotten); err == nil {
		r, err = m.operate(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionForget, Turns: &of})
	}
	if err == nil && r.Before != r.After {
		err = m.takeResult(ctx, user, stored, r, func(file *facts.File) {
			var ids []string
			for _, f := range file.FindByMessages(of.Messages) {
				ids = append(ids, f.ID)
			}
			file.Forget(ids)
		})
	}
	if err == nil {
		err = m.o.PromptFiles.EraseWords(ctx, user, of.Notes)
	}
	return n, err
}

// operate runs a memory operation in the user's worker. It deletes the operation's row afterwards,
// because the row has the user's words.
func (m *Memory) operate(ctx context.Context, user string, p protocol.MemoryParameters) (
	r protocol.MemoryResult, err error) {
	parameters, _ := json.Marshal(p) // Marshal never fails for these parameters
	op, err := m.o.Operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindMemory,
		Parameters: string(parameters)})
	if err == nil {
		op, err = m.o.Operations.Wait(ctx, op.ID)
	}
	if err == nil {
		err = m.o.Kept.Delete(ctx, op.ID)
	}
	switch {
	case err != nil:
		return r, fmt.Errorf("%s the memory of %s: %w", p.Action, user, err)
	case op.State != supervisor.OperationDone:
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, op.Result)
	}
	if err = json.Unmarshal([]byte(op.Result), &r); err == nil && r.Refused != "" {
		err = supervisor.Errorf(supervisor.CodeInvalid, textRefused, printable.DropControls(r.Refused))
	}
	return r, err
}
