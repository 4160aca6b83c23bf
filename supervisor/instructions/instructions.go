// Package instructions is the feature of prompt files: those of people's homes that tell the
// assistant how to be. It takes what workers report of them, and carries out what people decide
// about changed ones: a change is accepted, or their worker puts the file back.
package instructions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// Store keeps the prompt files.
type Store interface {
	List(ctx context.Context, user string) ([]supervisor.PromptFile, error)
	Decide(ctx context.Context, d supervisor.PromptFileDecision) (ok bool, err error)
	// Report takes a report. told is the conversation in whose outbox there may be something.
	Report(ctx context.Context, r supervisor.PromptFileReport) (answer protocol.PromptFilesInForce, told int64,
		err error)
}

// Operations has people's workers put files back.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Options are what Files works on.
type Options struct {
	Store
	Operations Operations
	// Keep stores bytes as a blob of the person, which their worker can read.
	Keep func(ctx context.Context, user string, text []byte) (protocol.BlobRef, error)
	// ShowDiff shows a difference, and UndoButton takes an operation back.
	ShowDiff   func(protocol.BlobRef) (supervisor.Delivery, error)
	UndoButton func(turn, operation int64) supervisor.Button
	// PrivateChat is where nobody else reads what a person is told.
	PrivateChat func(user string) supervisor.Conversation
	Queued      func(conversation int64) // something may have been put into its outbox; never blocks
}

// Files decides about prompt files. Its methods may be called from any goroutine.
type Files struct{ Options }

// New makes Files.
func New(o Options) *Files { return &Files{o} }

// Feature is what it adds to the service.
func (f *Files) Feature() feature.Feature {
	return feature.Feature{Name: "instructions", Commands: f.commands(), HostCalls: f.hostCalls()}
}

// Outcome says how a press of a button ended.
type Outcome string

const (
	Done    Outcome = "done"
	Already Outcome = "already" // it was accepted or put back before
	Changed Outcome = "changed" // another change waits now
	Unseen  Outcome = "unseen"  // the file has changed, and was not reported yet
	Unknown Outcome = "unknown" // there is no such file
)

// Result says how a press of a button ended, and for which file.
type Result struct {
	Outcome
	supervisor.PromptFile
	Operation int64 // the one that put the file back; 0: none
}

// find finds the file that a press is about. key names what waits, what is in force or what was
// refused.
func (f *Files) find(ctx context.Context, user, key string) (r Result, err error) {
	list, err := f.List(ctx, user)
	r.Outcome = Unknown
	for _, file := range list {
		of := file
		for _, state := range slices.Concat([]protocol.FileState{file.State}, file.Refused) {
			if of.Pending.State = state; of.Key() == key {
				r = Result{Outcome: Already, PromptFile: file}
				if file.Pending.Why != "" {
					r.Outcome = Changed
				}
			}
		}
		if file.Pending.Why != "" && file.Key() == key {
			return Result{Outcome: Done, PromptFile: file}, err
		}
	}
	return r, err
}

// Accept puts what waits in force.
func (f *Files) Accept(ctx context.Context, user, key string) (Result, error) {
	r, err := f.find(ctx, user, key)
	if err != nil || r.Outcome != Done || !r.Acceptable() {
		return r, err
	}
	ok, err := f.Decide(ctx, supervisor.PromptFileDecision{User: user, Path: r.Path, State: r.Pending.State})
	if !ok {
		r.Outcome = Changed
	}
	return r, err
}

// Diff stores the difference between what is in force and what waits, in the form of diff -u, as a
// blob of the person.
func (f *Files) Diff(ctx context.Context, user, key string) (ref protocol.BlobRef, r Result, err error) {
	if r, err = f.find(ctx, user, key); err != nil || r.Outcome != Done {
		return ref, r, err
	}
	text := diff.Diff("in-force/"+r.Path, r.Text, "waits/"+r.Path, r.Pending.Text)
	ref, err = f.Keep(ctx, user, bytes.ToValidUTF8(text, []byte("\uFFFD")))
	return ref, r, err
}

// PutBack restores the text in force in the person's home. It replaces only what waits: a file that
// has changed since is left alone.
func (f *Files) PutBack(ctx context.Context, user, key string) (Result, error) {
	r, err := f.find(ctx, user, key)
	if err != nil || r.Outcome != Done {
		return r, err
	}
	change := protocol.Undo{Path: r.Path, After: r.Pending.State}
	if r.State.Hashed() {
		ref, err := f.Keep(ctx, user, r.Text)
		if err != nil {
			return r, err
		}
		change.Before, change.Size = protocol.FileState(ref.SHA256), ref.Size
	}
	done, err := f.operate(ctx, user, change)
	if err != nil {
		return r, err
	}
	d := supervisor.PromptFileDecision{User: user, Path: r.Path, State: r.Pending.State, Operation: done.operation}
	switch done.Outcome {
	case protocol.UndoDone:
		d.Inverse, r.Operation = change.Inverse(), done.operation
	case protocol.UndoAlready:
	case protocol.UndoChanged:
		r.Outcome = Unseen
		return r, nil
	default:
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, r.Path, done.Why)
	}
	_, err = f.Decide(ctx, d)
	return r, err
}

// undone is the result of taking a change back.
type undone struct {
	protocol.UndoneChange
	operation int64
}

// operate has the person's worker take a change back, and waits for it.
func (f *Files) operate(ctx context.Context, user string, change protocol.Undo) (u undone, err error) {
	// can always be encoded
	parameters, _ := json.Marshal(protocol.UndoParameters{Action: protocol.UndoBack, Changes: []protocol.Undo{change}})
	op, err := f.Operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationUndo,
		Parameters: string(parameters)})
	if err == nil {
		op, err = f.Operations.Wait(ctx, op.ID)
	}
	var result protocol.UndoResult
	switch {
	case err != nil:
		return u, fmt.Errorf("put %s of %s back: %w", change.Path, user, err)
	case op.State != supervisor.OperationDone:
		return u, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, change.Path, op.Result)
	}
	if err = json.Unmarshal([]byte(op.Result), &result); err == nil {
		// one for each change: the operation's kind checks that
		u = undone{result.Changes[0], op.ID}
	}
	return u, err
}
