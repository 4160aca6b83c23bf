// Package filehistory is the feature that shows and restores earlier versions of the files in
// users' homes. The user's worker keeps the versions. The package also tells each user once which
// files are not kept.
package filehistory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/presses"
	"mews/supervisor/markdown"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Operations runs operations in users' workers.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// InboundFinder finds the inbounds of users.
type InboundFinder interface {
	Find(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error)
}

// Options are the dependencies of the feature.
type Options struct {
	Operations Operations
	Kept       sqlite.Operations // the database's rows of the operations that Operations runs
	Effects    sqlite.Effects
	Settings   sqlite.Settings
	Blobs      sqlite.Blobs
	Sent       InboundFinder
	Spool      *spool.Spool // the spool with the versions and diffs from workers
	// ShowDiff makes an answer from a diff in the spool.
	ShowDiff func(ref protocol.BlobRef) (supervisor.Delivery, error)
	// WhyOff returns why a user's home has no file history; "" means that it has one.
	WhyOff func(user string) string
	// Running lists the users whose workers run.
	Running func() []string
	// TellOnce sends a user a message, unless a message with the same name was sent before.
	TellOnce func(ctx context.Context, user, name, text string)
	Zone     func(user string) *time.Location
	Now      func() time.Time
	// Report gets errors of the background work.
	Report func(error)
}

// FileHistory answers requests about earlier versions. Its methods may be called from any
// goroutine.
type FileHistory struct {
	Options
	handed handedOut
}

// New returns the feature of earlier versions of files.
func New(o Options) *FileHistory { return &FileHistory{Options: o} }

// Feature returns the control calls and the background work of the feature. Its slash command is
// Subcommand.
func (h *FileHistory) Feature() feature.Feature {
	return feature.Feature{Name: "filehistory", Calls: h.calls(),
		Parts: []feature.Part{{Name: "file histories", Run: h.watchSpace}}}
}

// commandName is the command that has Subcommand.
const commandName = "history"

// SubcommandName is the first argument of /history for earlier versions of files.
const SubcommandName = "files"

// Subcommand returns the command `/history files`. Another feature has the command /history, whose
// first argument chooses this one. Run gets the arguments after the name.
func (h *FileHistory) Subcommand() feature.Command {
	return feature.Command{SlashCommand: supervisor.SlashCommand{Name: SubcommandName}, Run: h.command,
		Private: feature.AlwaysPrivateAnswer, Prefix: presses.FileHistoryPrefix, Press: h.press, Keeps: keepsButtons}
}

// run runs a file history operation in the user's worker, and waits for its result. The argument
// inbound is the asking inbound; 0 means none. A repeated call for the same inbound returns the
// same result.
func (h *FileHistory) run(ctx context.Context, user string, inbound int64, p protocol.FileHistoryParameters) (
	r protocol.FileHistoryResult, err error) {
	if why := h.WhyOff(user); why != "" {
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textOff, why)
	}
	if err := p.Validate(); err != nil {
		return r, &supervisor.Error{Code: supervisor.CodeInvalid, Message: textBadPath, Err: err}
	}
	result, _, err := h.operate(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindFileHistory,
		Inbound: inbound}, p)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(result), &r)
}

// operate runs an operation and returns its result. It deletes the row of an operation without an
// inbound, because the row names files.
func (h *FileHistory) operate(ctx context.Context, op supervisor.Operation, parameters any) (result string, id int64,
	err error) {
	encoded, _ := json.Marshal(parameters) // Marshal never fails for these parameters
	op.Parameters = string(encoded)
	op, err = h.Operations.Start(ctx, op)
	if err == nil {
		op, err = h.Operations.Wait(ctx, op.ID)
	}
	if err != nil {
		return "", 0, fmt.Errorf("%s for %s: %w", op.Kind, op.User, err)
	}
	if op.Inbound == 0 {
		err = h.Kept.Delete(ctx, op.ID)
	}
	if op.State != supervisor.OperationDone {
		return "", op.ID, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, markdown.EscapeSentence(op.Result))
	}
	return op.Result, op.ID, err
}

// undoSpan takes back what a restore changed.
func (h *FileHistory) undoSpan(ctx context.Context, user string, inbound int64, span protocol.HistorySpan) (
	done protocol.UndoneSpan, err error) {
	p := protocol.UndoParameters{Action: protocol.UndoActionUnchangedFiles,
		Changes: []protocol.Undo{{Path: ".", Span: &span}}}
	if err := p.Validate(); err != nil {
		return done, supervisor.Errorf(supervisor.CodeInvalid, feature.DeadButtonText)
	}
	raw, _, err := h.operate(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindUndo,
		Inbound: inbound}, p)
	if err != nil {
		return done, err
	}
	var result protocol.UndoResult
	if err := json.Unmarshal([]byte(raw), &result); err != nil {
		return done, err
	}
	c := result.Changes[0] // an undo operation has one result for each change
	if c.Span == nil || c.Outcome == protocol.UndoOutcomeExpired || c.Outcome == protocol.UndoOutcomeFailed {
		return done, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, markdown.EscapeSentence(c.Why))
	}
	return *c.Span, nil
}
