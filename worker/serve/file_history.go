package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/worker"
	"mews/worker/filehistory"
	"mews/worker/host"
	versions "mews/worker/tool/filehistory"
	"mews/worker/tool/shell"
	"mews/worker/workspace"
)

// openHistory opens the file history of the home, if the walls give it one. It takes over the
// folder of the history. If hello gives the history no room, nothing is kept, but versions from
// before can be forgotten. A history that cannot be opened is off, so that the user is served.
func (u *userTools) openHistory() {
	keeps := u.hello.History != nil
	switch {
	case !keeps:
		u.historyOff = textHistoryOff
	case u.options.History == nil:
		u.historyOff = textHistoryNoFolder
	}
	if u.options.History == nil {
		return
	}
	limits := protocol.FileHistoryLimits{}
	if keeps {
		limits = *u.hello.History
	}
	var err error
	home := u.files
	if !isUnrestricted(u.hello.Files) { // the history has all files, also those that tools must not see
		if home, err = workspace.Open(u.hello.Home, protocol.FilePolicy{}); err == nil {
			home.SetQuota(u.quota)
			u.historyFiles = home
		}
	}
	if err == nil {
		u.oldVersions, err = filehistory.Open(filehistory.Options{Folder: u.options.History, Home: home,
			Room: limits.Room, Exclude: limits.Exclude, Now: u.options.Now, Report: u.options.Report,
			Temp: shell.TempName(u.hello.Home, cmp.Or(u.options.Temp, "/tmp")), ForgetOnly: !keeps})
	}
	if err != nil {
		u.oldVersions, u.historyOff = nil, fmt.Sprintf(textHistoryBroken, err)
		u.historyBroken = errors.New(u.historyOff)
		u.options.Report(fmt.Errorf("open the file history: %w", err))
	} else if keeps {
		u.history = u.oldVersions
	}
}

// Reasons why a home has no file history.
const (
	textHistoryOff      = "no file history is kept here"
	textHistoryNoFolder = "no file history is kept within these walls, or its folder belongs to another account"
	textHistoryBroken   = "the file history can't be opened: %v"
)

// closeHistory closes the file history.
func (u *userTools) closeHistory() (err error) {
	if u.oldVersions != nil {
		err = u.oldVersions.Close()
	}
	if u.historyFiles != nil {
		err = errors.Join(err, u.historyFiles.Close())
	}
	return err
}

// runHistory keeps the files of the home until ctx ends. It waits for the first turn or operation,
// which shows that the supervisor has the answer to hello.
func (s *server) runHistory(ctx context.Context, u *userTools) {
	if u.history == nil {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-s.working:
	}
	if err := u.history.Run(ctx); err != nil && ctx.Err() == nil {
		s.options.Report(fmt.Errorf("keep the file history: %w", err))
	}
}

// withFileHistory makes a tool keep the bytes from before its changes in the file history, and
// record its changes there. The tools that run programs do that themselves.
func (u *userTools) withFileHistory(tool worker.Tool) worker.Tool {
	if u.history == nil || tool.Effect == protocol.EffectNone {
		return tool
	}
	run := tool.Run
	tool.Run = func(ctx context.Context, call worker.Call) (worker.Result, error) {
		if call.KeepBefore != nil {
			call.KeepBefore = u.history.Keep
		}
		defer u.history.StartTool()()
		changed := u.files.StartPathRecord()
		result, err := run(ctx, call)
		u.recordChanges(ctx, changed, protocol.HistoryAuthor{Kind: protocol.HistoryAuthorTool, Turn: call.Turn,
			Words: tool.Name})
		for _, c := range result.Changes {
			if c.Undo != nil && c.Undo.Obstacle == "" && c.Undo.Span == nil {
				c.Undo.Kept = true
			}
		}
		return result, err
	}
	return tool
}

// recordChanges ends a record, and adds its paths to the file history. It only reports errors,
// because the next scan of the home finds the changes too.
func (u *userTools) recordChanges(ctx context.Context, changed *workspace.PathRecord, by protocol.HistoryAuthor) {
	paths := changed.Stop()
	if len(paths) == 0 {
		return
	}
	if _, err := u.history.Record(context.WithoutCancel(ctx), paths, by); err != nil {
		u.options.Report(fmt.Errorf("record changes of %s in the file history: %w", by.Words, err))
	}
}

// runFileHistory lists, shows, restores or forgets earlier versions of files.
func runFileHistory(ctx context.Context, u *userTools, h *host.Operation, p protocol.FileHistoryParameters) (any,
	error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	o := versions.Operation{ID: h.ID(), Files: u.files, History: u.history, Off: u.historyOff, Blobs: h}
	if p.Action == protocol.FileHistoryForget || p.Action == protocol.FileHistoryCount {
		if o.History = u.oldVersions; o.History == nil && u.historyBroken == nil {
			return protocol.FileHistoryResult{}, nil // no version is here
		}
	}
	return o.Run(ctx, p)
}

// recordedOperations are the operations whose changes go into the file history, with their author.
// An undo and a restore record their changes themselves, and a check keeps the files from before
// its command.
//
// Parsers, converters and speech recognition write only to temporary folders. Nothing is kept
// before them. If a hostile file makes such a program change the home, the next scan of the home
// finds that as somebody else's change.
var recordedOperations = map[protocol.OperationKind]protocol.HistoryAuthor{
	protocol.OperationKindCalendar: {Kind: protocol.HistoryAuthorUser, Words: "calendar"},
	protocol.OperationKindLog:      {Kind: protocol.HistoryAuthorTool, Words: "daily log"},
	protocol.OperationKindMemory:   {Kind: protocol.HistoryAuthorTool, Words: "memory"},
	protocol.OperationKindReceive:  {Kind: protocol.HistoryAuthorUser, Words: "received files"},
	protocol.OperationKindTodo:     {Kind: protocol.HistoryAuthorUser, Words: "to-dos"},
	protocol.OperationKindUploads:  {Kind: protocol.HistoryAuthorUser, Words: "uploads"},
}

// recordFor starts to record changes of a task that is no tool. The returned function ends the
// record, and adds the changes to the file history.
func (u *userTools) recordFor(ctx context.Context, by protocol.HistoryAuthor) (end func()) {
	if u.history == nil || by == (protocol.HistoryAuthor{}) {
		return func() {}
	}
	changed, done := u.files.StartPathRecord(), u.history.StartTool()
	return func() {
		defer done()
		u.recordChanges(ctx, changed, by)
	}
}
