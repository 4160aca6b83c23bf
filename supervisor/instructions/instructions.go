// Package instructions is the feature of prompt files: the files of a home that tell the assistant
// how to behave. It records the changes that workers report. Users decide about the changes: they
// accept a change, or let their worker restore the old file.
package instructions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// Store stores the state of the prompt files.
type Store interface {
	List(ctx context.Context, user string) ([]supervisor.PromptFile, error)
	RecordDecision(ctx context.Context, d supervisor.PromptFileDecision) (ok bool, err error)
	// StoreReport records a worker's report. told is the conversation whose outbox may have a new
	// delivery.
	StoreReport(ctx context.Context, r supervisor.PromptFileReport) (answer protocol.PromptFileReportResult, told int64,
		err error)
}

// Operations runs operations in users' workers.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Options are the dependencies of the feature.
type Options struct {
	Store
	Operations Operations
	// Keep stores bytes as a blob that the user's worker can read.
	Keep func(ctx context.Context, user string, text []byte) (protocol.BlobRef, error)
	// ShowDiff makes a delivery of a diff. UndoButton returns a button that reverts an operation.
	ShowDiff   func(protocol.BlobRef) (supervisor.Delivery, error)
	UndoButton func(turn, operation int64) supervisor.Button
	// Notes returns the notes that calls of a turn's current attempt may have added.
	Notes func(t feature.Turn) []facts.Note
	// PrivateChat returns the chat that only the user reads.
	PrivateChat func(user string) supervisor.Conversation
	Queued      func(conversation int64) // called when a delivery may be queued; never blocks
}

// PromptFiles decides about changes of prompt files. Its methods may be called from any goroutine.
type PromptFiles struct{ Options }

// New returns the feature of prompt files.
func New(o Options) *PromptFiles { return &PromptFiles{o} }

// Feature returns the command and host call of the prompt files.
func (f *PromptFiles) Feature() feature.Feature {
	return feature.Feature{Name: "instructions", Commands: f.commands(), HostCalls: f.hostCalls()}
}

// Outcome is the outcome of a button's press.
type Outcome string

const (
	OutcomeDone           Outcome = "done"
	OutcomeAlreadyDecided Outcome = "already" // the change was accepted or reverted before
	OutcomeChangedSince   Outcome = "changed" // another change of the file waits now
	OutcomeNotYetReported Outcome = "unseen"  // the file has changed again, and the worker has not reported it yet
	OutcomeNotFound       Outcome = "unknown" // the file does not exist
)

// PressResult is the outcome of a button's press, and its file.
type PressResult struct {
	Outcome
	supervisor.PromptFile
	Operation int64 // the operation that restored the file; 0 means none
}

// find finds the file of a press. key identifies the text that waits, is in force or was refused.
func (f *PromptFiles) find(ctx context.Context, user, key string) (r PressResult, err error) {
	list, err := f.List(ctx, user)
	r.Outcome = OutcomeNotFound
	for _, file := range list {
		of := file
		for _, state := range slices.Concat([]protocol.FileState{file.State}, file.Refused) {
			if of.Pending.State = state; of.PendingKey() == key {
				r = PressResult{Outcome: OutcomeAlreadyDecided, PromptFile: file}
				if file.Pending.Why != "" {
					r.Outcome = OutcomeChangedSince
				}
			}
		}
		if file.Pending.Why != "" && file.PendingKey() == key {
			return PressResult{Outcome: OutcomeDone, PromptFile: file}, err
		}
	}
	return r, err
}

// AcceptChange puts the waiting text of a file in force.
func (f *PromptFiles) AcceptChange(ctx context.Context, user, key string) (PressResult, error) {
	r, err := f.find(ctx, user, key)
	if err != nil || r.Outcome != OutcomeDone || !r.CanAcceptPending() {
		return r, err
	}
	ok, err := f.RecordDecision(ctx, supervisor.PromptFileDecision{User: user, Path: r.Path, State: r.Pending.State})
	if !ok {
		r.Outcome = OutcomeChangedSince
	}
	return r, err
}

// StoreDiff stores a diff between the text in force and the waiting text. The diff is a blob of the
// user, in the format of diff -u.
func (f *PromptFiles) StoreDiff(ctx context.Context, user, key string) (ref protocol.BlobRef, r PressResult,
	err error) {
	if r, err = f.find(ctx, user, key); err != nil || r.Outcome != OutcomeDone {
		return ref, r, err
	}
	text := diff.Diff("in-force/"+r.Path, r.Text, "waits/"+r.Path, r.Pending.Text)
	ref, err = f.Keep(ctx, user, bytes.ToValidUTF8(text, []byte("\uFFFD")))
	return ref, r, err
}

// RestoreFile restores the text in force in the user's home. It replaces only the waiting text. If
// the file has changed since, it does nothing.
func (f *PromptFiles) RestoreFile(ctx context.Context, user, key string) (PressResult, error) {
	r, err := f.find(ctx, user, key)
	if err != nil || r.Outcome != OutcomeDone {
		return r, err
	}
	change := protocol.Undo{Path: r.Path, After: r.Pending.State}
	if r.State.IsHash() {
		ref, err := f.Keep(ctx, user, r.Text)
		if err != nil {
			return r, err
		}
		change.Before, change.Size = protocol.FileState(ref.SHA256), ref.Size
	}
	done, err := f.runUndo(ctx, user, change)
	if err != nil {
		return r, err
	}
	d := supervisor.PromptFileDecision{User: user, Path: r.Path, State: r.Pending.State, Operation: done.operation}
	switch done.Outcome {
	case protocol.UndoOutcomeDone:
		d.Inverse, r.Operation = change.Inverse(), done.operation
	case protocol.UndoOutcomeAlreadyUndone:
	case protocol.UndoOutcomeChangedSince:
		r.Outcome = OutcomeNotYetReported
		return r, nil
	default:
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, r.Path, done.Why)
	}
	_, err = f.RecordDecision(ctx, d)
	return r, err
}

// undoResult is the result of restoring a file.
type undoResult struct {
	protocol.UndoneChange
	operation int64
}

// runUndo asks the user's worker to undo a change, and waits for the result.
func (f *PromptFiles) runUndo(ctx context.Context, user string, change protocol.Undo) (u undoResult, err error) {
	// Marshal never fails for UndoParameters
	parameters, _ := json.Marshal(protocol.UndoParameters{Action: protocol.UndoActionUnchangedFiles,
		Changes: []protocol.Undo{change}})
	op, err := f.Operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindUndo,
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
		// an undo operation has one result for each change
		u = undoResult{result.Changes[0], op.ID}
	}
	return u, err
}
