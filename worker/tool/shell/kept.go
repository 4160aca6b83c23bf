package shell

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/filehistory"
	"mews/worker/workspace"
)

// keptProgram is a program in the file history. The zero value means that no history is kept.
type keptProgram struct {
	program *filehistory.Program
	fault   string // why not all was kept before the program; "" means that it was
}

// keepBefore keeps the files of a snapshot in the file history, before a program starts. The caller
// calls end or drop.
func (e *environment) keepBefore(ctx context.Context, before snapshot) (p keptProgram) {
	err := before.err
	if e.options.History == nil {
		return p
	}
	if err == nil {
		p.program, err = e.options.History.BeginProgram(ctx, before.tree)
	}
	if err == nil {
		err = before.cut // what the tree lacks is not kept
	} else {
		p.program = nil
	}
	if err != nil {
		p.fault = err.Error()
	}
	return p
}

// keptChanges are a program's changes in the file history.
type keptChanges struct {
	undo  *protocol.Undo     // undo of all changes; nil means that there are none, or no history
	lost  protocol.PathCount // files that the program changed, but whose bytes from before are not kept
	fault string             // why the history has not all changes; "" means that it has
}

// end records the changes of the program until a snapshot.
func (p keptProgram) end(ctx context.Context, after snapshot, by protocol.HistoryAuthor) (k keptChanges) {
	if k.fault = p.fault; p.program == nil {
		return k
	}
	if after.cut != nil {
		k.fault = after.cut.Error()
	}
	if after.err != nil {
		p.program.Drop()
		k.fault = after.err.Error()
		return k
	}
	span, err := p.program.End(ctx, after.tree, by)
	if k.lost = p.program.NotKept(); err != nil {
		k.fault = err.Error()
	}
	if span.To > span.From {
		k.undo = &protocol.Undo{Path: ".", Span: &span}
	}
	return k
}

// drop forgets the program.
func (p keptProgram) drop() {
	if p.program != nil {
		p.program.Drop()
	}
}

// programAuthor returns the author of a program's changes. command is a command or a name.
func programAuthor(turn int64, command string) protocol.HistoryAuthor {
	words := oneLine(command)
	return protocol.HistoryAuthor{Kind: protocol.HistoryAuthorProgram, Turn: turn,
		Words: worker.TrimPartialRune(words[:min(len(words), protocol.MaxHistoryWords)])}
}

// maxNamedInDetail bounds the files that the ledger names as not kept.
const maxNamedInDetail = 3

// note tells which files were not kept, with at most most names; "" means that all were kept.
func (k keptChanges) note(most int) string {
	switch {
	case k.fault != "":
		return "not kept before: " + oneLine(k.fault)
	case k.lost.Count == 0:
		return ""
	}
	var names []string
	for _, path := range k.lost.Named[:min(len(k.lost.Named), most)] {
		names = append(names, workspace.QuotePath(path))
	}
	if len(names) > 0 && k.lost.Count > int64(len(names)) {
		names = append(names, "...")
	}
	text := fmt.Sprintf("not kept before: %s %s", amount.FormatNumber(k.lost.Count),
		map[bool]string{true: "file", false: "files"}[k.lost.Count == 1])
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

// complete adds the undo of all changes, and what was not kept, to the ledger's change about the
// program.
func (k keptChanges) complete(run protocol.Change) protocol.Change {
	run.Undo = k.undo
	if note := k.note(maxNamedInDetail); note != "" {
		run.Detail += "; " + note
	}
	return run
}

// head returns a line about what was not kept, for the top of the output; "" means no line.
func (k keptChanges) head() string {
	if note := k.note(protocol.MaxNamedPaths); note != "" {
		return note + "\n"
	}
	return ""
}

// isEmpty reports whether there is nothing to tell.
func (k keptChanges) isEmpty() bool { return k.undo == nil && k.fault == "" && k.lost.Count == 0 }

// stopped returns the result of a program that was ended because its turn ended. Without a file
// history it is empty.
func (f fileChanges) stopped(command string) (r worker.Result) {
	if !f.kept.isEmpty() {
		r.Changes = append([]protocol.Change{f.kept.complete(ranChange(command, "stopped"))}, f.ledger()...)
	}
	return r
}

// recordProgram calls run, which runs a program to its end, and returns the changes of the
// workspace. If run fails and there is no file history, the changes are not known.
func (r *programRunner) recordProgram(ctx context.Context, by protocol.HistoryAuthor,
	run func() error) (found fileChanges, err error) {
	before := r.takeSnapshot(ctx)
	before.settle()
	earlier := r.terminals.endUnwatched(context.WithoutCancel(ctx), before)
	kept := r.keepBefore(ctx, before)
	if err = run(); err != nil && r.options.History == nil {
		before.mews.Stop()
		return found, err
	}
	late := context.WithoutCancel(ctx)
	after := r.takeSnapshot(late)
	after.mews.Stop()
	found = r.changesBetween(before, after)
	found.kept, found.earlier = kept.end(late, after, by), earlier
	return found, err
}

// endUnwatched ends the interval since the last call, if all terminals have ended since. It returns
// the ledger's changes in that interval. Otherwise the file history would attribute all later
// changes to a terminal's program.
func (m *terminals) endUnwatched(ctx context.Context, now snapshot) []protocol.Change {
	m.mu.Lock()
	seen := m.seen
	if seen == nil || seen.kept.program == nil || len(onlyRunning(m.sorted())) > 0 {
		m.mu.Unlock()
		return nil
	}
	m.seen = nil
	m.mu.Unlock()
	found := m.changesBetween(seen.snapshot, now)
	found.kept = seen.kept.end(ctx, now, programAuthor(seen.turn, seen.title))
	if changes := found.ledger(); len(changes) > 0 || !found.kept.isEmpty() {
		return append([]protocol.Change{found.kept.complete(ranChange(seen.title, "in a terminal that has ended"))},
			changes...)
	}
	return nil
}
