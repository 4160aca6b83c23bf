package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// A worker alone can't put a text in force. Before a call writes, the supervisor decides what the
// call may write, and keeps that in the attempt's Turn.Kept. The worker then reports only states of
// the file. The supervisor computes the new text itself, from the text with the state before. The
// new text is in force only if it has the reported state.

// permissionKey is the key of a call's permission in Turn.Kept.
type permissionKey struct{ call string }

// permission is the supervisor's answer to a call that wants to keep a fact.
type permission struct {
	protocol.MemoryRememberResult
	conflict *protocol.MemoryConflict // the fact that the question about the call showed
}

// noteKey is the key of a call's note in Turn.Kept.
type noteKey struct{ call string }

// keepPermission stores the permission, or the note, of a call in Turn.Kept.
func (m *Memory) keepPermission(t feature.Turn, call protocol.ToolCall, args protocol.MemoryArguments,
	p permission) error {
	at, err := time.Parse(time.RFC3339, p.At)
	if err != nil {
		return err
	}
	if call.Name == toolNote {
		t.Kept.Store(noteKey{call.ID}, facts.NewNote(at.In(m.zone(t.User)), args.Text))
		return nil
	}
	t.Kept.Store(permissionKey{call.ID}, p)
	return nil
}

// ListTurnNotes returns the notes that calls of a turn's current attempt may have added.
func ListTurnNotes(t feature.Turn) (notes []facts.Note) {
	t.Kept.Range(func(key, kept any) bool {
		if _, is := key.(noteKey); is {
			notes = append(notes, kept.(facts.Note))
		}
		return true
	})
	return notes
}

// lastChange is the key in Turn.Kept of the change that the worker announced last.
type lastChange struct{}

// announced is a change that the worker has announced.
type announced struct {
	call          string
	before, after protocol.FileState
	text          string // text of MEMORY.md before the change
}

// written is the result of a call, as the supervisor computes it.
type written struct {
	base, text string
	gone       []facts.Fact // facts that the call deletes
	replaced   facts.Fact   // the fact that a new fact contradicts; an empty ID means none
	known      bool         // the text before the call is known; if not, the fields above are not set
	err        error        // reason why the call changes nothing
}

// makeChange computes how a call changes MEMORY.md. It takes the text that has the state before.
func (m *Memory) makeChange(ctx context.Context, t feature.Turn, call protocol.ToolCall, before protocol.FileState) (
	w written, err error) {
	stored, err := m.storedTexts(ctx, t.User)
	if w.base, w.known = stored.find(before); !w.known || err != nil {
		return w, err
	}
	file := facts.ParseFile(w.base)
	if call.Name == toolForget {
		var args forgetArguments
		if w.err = json.Unmarshal(call.Arguments, &args); w.err == nil {
			w.gone = file.Forget(args.IDs)
		}
	} else {
		w.replaced, w.err = m.changeFact(t, call, file)
	}
	w.text = file.String()
	return w, nil
}

// forgetArguments are the model's arguments of forget.
type forgetArguments struct {
	IDs []string `json:"ids"`
}

var (
	errNotAsked = errors.New("the call has no permission")
	errOther    = errors.New("the user was shown another fact")
)

// changeFact applies a call of remember or update_memory to the file. replaced is the fact that the
// new fact contradicts.
func (m *Memory) changeFact(t feature.Turn, call protocol.ToolCall, file *facts.File) (replaced facts.Fact,
	err error) {
	kept, asked := t.Kept.Load(permissionKey{call.ID})
	if !asked {
		return replaced, errNotAsked
	}
	p := kept.(permission)
	args := protocol.MemoryArguments{}
	if call.Name == toolRemember {
		args.Kind = facts.DefaultFactKind
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return replaced, err
	}
	at, err := time.Parse(time.RFC3339, p.At)
	if err != nil {
		return replaced, err
	}
	fact := facts.FactFromArguments(args)
	fact.Message, fact.Date = p.Message, at.In(m.zone(t.User)).Format(time.DateOnly)
	var old facts.Fact
	if call.Name == toolUpdate {
		_, old, err = file.Correct(args.ID, fact, p.HighestForgotten)
	} else {
		_, replaced, err = file.Remember(fact, p.Replace, p.HighestForgotten)
		old = replaced
	}
	shown := protocol.MemoryConflict{}
	if p.conflict != nil {
		shown = *p.conflict
	}
	if err == nil && old.ID != "" && (shown != protocol.MemoryConflict{ID: old.ID, Text: old.Text}) {
		return replaced, errOther
	}
	return replaced, err
}

// storedTexts are the text in force and the pending text of MEMORY.md, by their states.
type storedTexts map[protocol.FileState]string

func (m *Memory) storedTexts(ctx context.Context, user string) (storedTexts, error) {
	list, err := m.o.PromptFiles.List(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("read the memory in force of %s: %w", user, err)
	}
	texts := storedTexts{protocol.FileStateAbsent: ""}
	for _, f := range list {
		if f.Path == memoryFile {
			texts[f.Pending.State], texts[f.State] = string(f.Pending.Text), string(f.Text)
		}
	}
	return texts, nil
}

// find returns the text that has a state.
func (s storedTexts) find(state protocol.FileState) (text string, known bool) {
	text, known = s[state]
	return text, known && supervisor.IsWholeFileText(state, []byte(text))
}

// takeBack handles a worker that takes its last change back: it puts the text before that change in
// force again.
func (m *Memory) takeBack(ctx context.Context, t feature.Turn, p protocol.MemoryChangedParams) (is bool, err error) {
	last, _ := t.Kept.Load(lastChange{})
	if a, is := last.(announced); is && a.call == p.Call && a.before == p.After && a.after == p.Before {
		return true, m.o.PromptFiles.AcceptWrite(ctx, t.User, memoryFile, p.Before, p.After, []byte(a.text))
	}
	return false, nil
}

// takeChange puts the result of a call in force, if it has the state that the worker has announced.
// If the call replaces another fact, takeChange first offers the user the old fact. This order
// matters, because the text before the call is known only until the new text is in force. After a
// crash in between, the worker makes the call again.
func (m *Memory) takeChange(ctx context.Context, t feature.Turn, call protocol.ToolCall,
	p protocol.MemoryChangedParams, w written) error {
	if !w.known || w.err != nil || facts.FileStateOf(w.text) != p.After {
		return nil
	}
	if w.replaced.ID != "" {
		if err := m.offerOldFact(ctx, t, call, w.replaced); err != nil {
			return err
		}
	}
	t.Kept.Store(lastChange{}, announced{call: p.Call, before: p.Before, after: p.After, text: w.base})
	return m.o.PromptFiles.AcceptWrite(ctx, t.User, memoryFile, p.Before, p.After, []byte(w.text))
}

// takeResult puts the result of an operation in force, if change makes the same text from the text
// before.
func (m *Memory) takeResult(ctx context.Context, user string, stored storedTexts, r protocol.MemoryResult,
	change func(*facts.File)) error {
	text, known := stored.find(r.Before)
	file := facts.ParseFile(text)
	change(file)
	if !known || facts.FileStateOf(file.String()) != r.After {
		return nil
	}
	return m.o.PromptFiles.AcceptWrite(ctx, user, memoryFile, r.Before, r.After, []byte(file.String()))
}

// checkGone refuses deleted facts that the call does not name, or that are not in the text.
func checkGone(call protocol.ToolCall, told []protocol.ForgottenFact, w written) error {
	if w.known {
		if !slices.EqualFunc(told, w.gone, func(a protocol.ForgottenFact, b facts.Fact) bool {
			return a == protocol.ForgottenFact{ID: b.ID, Text: b.Text, Message: b.Message}
		}) {
			return errors.New("other facts than the call deletes")
		}
		return nil
	}
	var args forgetArguments
	err := json.Unmarshal(call.Arguments, &args)
	for _, f := range told {
		named := slices.ContainsFunc(args.IDs, func(id string) bool { return strings.ToLower(id) == f.ID })
		if !named {
			err = cmp.Or(err, errors.New("a fact that the call does not name"))
		}
	}
	return err
}
