// Package filehistory shows and restores earlier versions of the files in users' homes. The user's
// worker keeps the versions. The package also tells each user once which files are not kept.
package filehistory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
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
	Kept       sqlite.Operations // rows of the operations that Operations runs
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
	// Workspaces lists a user's folders outside of the home, by the paths that the worker sees. nil
	// means none.
	Workspaces func(user string) []string
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
	handed      handedOut
	callWait    time.Duration // how long a control call waits for a restore
	measureWait time.Duration // how long to wait for the size of one user's history
}

// New returns the feature of earlier versions of files.
func New(o Options) *FileHistory {
	return &FileHistory{Options: o, callWait: maxCallWait, measureWait: maxMeasureWait}
}

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
	if err := h.checkOn(user); err != nil {
		return r, err
	}
	return h.runAlways(ctx, user, inbound, p)
}

// checkOn returns an error if no file history of a user is kept.
func (h *FileHistory) checkOn(user string) error {
	if why := h.WhyOff(user); why != "" {
		return supervisor.Errorf(supervisor.CodeUnavailable, textOff, why)
	}
	return nil
}

// runAlways does the work of run, even if no file history is kept.
func (h *FileHistory) runAlways(ctx context.Context, user string, inbound int64, p protocol.FileHistoryParameters) (
	r protocol.FileHistoryResult, err error) {
	_, r, err = h.runOperation(ctx, user, inbound, p)
	return r, err
}

// runOperation does the work of runAlways, and returns the operation's id too.
func (h *FileHistory) runOperation(ctx context.Context, user string, inbound int64,
	p protocol.FileHistoryParameters) (id int64, r protocol.FileHistoryResult, err error) {
	op := supervisor.Operation{User: user, Kind: protocol.OperationKindFileHistory, Inbound: inbound}
	if op, err = h.start(ctx, op, p); err != nil {
		return 0, r, err
	}
	result, err := h.wait(ctx, op)
	if err != nil {
		return 0, r, err
	}
	return op.ID, r, json.Unmarshal([]byte(result), &r)
}

// start starts a file history operation.
func (h *FileHistory) start(ctx context.Context, op supervisor.Operation, p protocol.FileHistoryParameters) (
	supervisor.Operation, error) {
	if err := p.Validate(); err != nil {
		return op, &supervisor.Error{Code: supervisor.CodeInvalid, Message: textBadPath, Err: err}
	}
	return h.startAny(ctx, op, p)
}

// startAny starts an operation of any kind.
func (h *FileHistory) startAny(ctx context.Context, op supervisor.Operation, parameters any) (
	supervisor.Operation, error) {
	encoded, _ := json.Marshal(parameters) // Marshal never fails for these parameters
	op.Parameters = string(encoded)
	started, err := h.Operations.Start(ctx, op)
	if err != nil {
		return op, fmt.Errorf("%s for %s: %w", op.Kind, op.User, err)
	}
	return started, nil
}

// wait waits for an operation, and returns its result. It deletes the row of an operation without
// an inbound, because the row names files.
func (h *FileHistory) wait(ctx context.Context, op supervisor.Operation) (result string, err error) {
	ended, err := h.Operations.Wait(ctx, op.ID)
	if err != nil {
		return "", fmt.Errorf("%s for %s: %w", op.Kind, op.User, err)
	}
	if ended.Inbound == 0 {
		err = h.Kept.Delete(context.WithoutCancel(ctx), ended.ID)
	}
	if ended.State != supervisor.OperationDone {
		return "", supervisor.Errorf(supervisor.CodeUnavailable, textFailed, markdown.EscapeSentence(ended.Result))
	}
	return ended.Result, err
}

// undoSpan takes back what a restore, or the undo of a restore, changed. If force is true, files that
// have changed since are overwritten too. why tells why it ended early; "" means that it did not.
func (h *FileHistory) undoSpan(ctx context.Context, user string, inbound int64, span protocol.HistorySpan,
	force bool) (done protocol.UndoneSpan, why string, err error) {
	p := protocol.UndoParameters{Action: protocol.UndoActionUnchangedFiles,
		Changes: []protocol.Undo{{Path: ".", Span: &span}}}
	if force {
		p.Action = protocol.UndoActionForce
	}
	if err := p.Validate(); err != nil {
		return done, "", supervisor.Errorf(supervisor.CodeInvalid, feature.DeadButtonText)
	}
	op, err := h.startAny(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindUndo, Inbound: inbound}, p)
	if err != nil {
		return done, "", err
	}
	raw, err := h.wait(ctx, op)
	if err != nil {
		return done, "", err
	}
	var result protocol.UndoResult
	if err := json.Unmarshal([]byte(raw), &result); err != nil {
		return done, "", err
	}
	c := result.Changes[0] // an undo operation has one result for each change
	// some changes were taken back, perhaps before an early end
	changed := c.Span != nil && c.Span.Span != nil
	failed := c.Outcome == protocol.UndoOutcomeExpired || c.Outcome == protocol.UndoOutcomeFailed
	if c.Span == nil || failed && !changed {
		return done, "", supervisor.Errorf(supervisor.CodeUnavailable, textFailed,
			markdown.EscapeSentence(cmp.Or(c.Why, textGone)))
	}
	if changed {
		err = h.Effects.PutOfOperation(ctx, op.ID, supervisor.Effect{User: user, Kind: supervisor.EffectRestoreUndone,
			Target: amount.Plural(c.Span.Restored.Count, "file", "files")})
	}
	return *c.Span, c.Why, err
}
