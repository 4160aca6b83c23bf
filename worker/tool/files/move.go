package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

var moveSpec = worker.ToolSpec{
	Name:   "move_file",
	Effect: protocol.EffectOnce,
	Description: "Move or rename a file or folder. Where to is a folder it goes into it. " +
		"overwrite: a file in the way goes to the trash.",
	Arguments: []worker.Argument{
		{Name: "from", Type: worker.StringArgument, Required: true},
		{Name: "to", Type: worker.StringArgument, Required: true},
		{Name: "overwrite", Type: worker.BooleanArgument},
	},
}

type moveArgs struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Overwrite bool   `json:"overwrite"`
}

func (t *fileTools) move(ctx context.Context, call worker.Call, args moveArgs) (worker.Result, error) {
	from, err := t.ws.CleanPath(args.From)
	if err != nil {
		return worker.Result{}, err
	}
	var first []protocol.Change // change that moves the file at the target to the trash
	undo := t.ws.RecordBeforeMove(ctx, call.KeepBefore, args.From, false)
	to, err := t.ws.MoveFile(ctx, args.From, args.To)
	if errors.Is(err, fs.ErrExist) && args.Overwrite {
		if first, err = t.trashTarget(ctx, call, args); err == nil {
			to, err = t.ws.MoveFile(ctx, args.From, args.To)
		}
	} else if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w, and overwrite is not set", err)
	}
	if err != nil && len(first) > 0 {
		return worker.Result{Changes: first}, fmt.Errorf("%w; %s is already in the trash: %s",
			err, workspace.QuotePath(first[0].Target), workspace.QuotePath(first[0].Detail))
	}
	if err != nil {
		return worker.Result{}, err
	}
	text := fmt.Sprintf("%s is now %s.", workspace.QuotePath(from), workspace.QuotePath(to))
	if len(first) > 0 {
		text += fmt.Sprintf(" What was there before is %s.", workspace.QuotePath(first[0].Detail))
	}
	result := changeResult("move", from, to, text, "to "+workspace.QuotePath(to),
		workspace.RecordAfterMove(undo, to, false))
	result.Changes = append(first, result.Changes...)
	return result, nil
}

// trashTarget moves the file at the target, which the move would replace, to the trash.
func (t *fileTools) trashTarget(ctx context.Context, call worker.Call, args moveArgs) ([]protocol.Change, error) {
	target := args.To
	old, err := t.ws.Stat(target)
	if err == nil && old.IsDir() {
		target = path.Join(target, path.Base(path.Clean(args.From)))
		old, err = t.ws.Stat(target)
	}
	if err != nil {
		return nil, err
	}
	source, err := t.ws.Stat(args.From)
	switch {
	case err != nil:
		return nil, err
	case os.SameFile(old, source):
		return nil, fmt.Errorf("move %s: it is the same as %s", workspace.QuotePath(args.From),
			workspace.QuotePath(target))
	case old.IsDir():
		return nil, fmt.Errorf("move to %s: there is a folder with this name; move or delete it first",
			workspace.QuotePath(target))
	}
	undo := t.ws.RecordBeforeMove(ctx, call.KeepBefore, target, true)
	where, err := t.ws.MoveToTrash(ctx, target, t.now())
	if err != nil {
		return nil, err
	}
	name, err := t.ws.CleanPath(target)
	return []protocol.Change{{Kind: "delete", Target: name, Detail: where, Undo: workspace.RecordAfterMove(undo, where,
		true)}}, err
}

var deleteSpec = worker.ToolSpec{
	Name:        "delete_file",
	Effect:      protocol.EffectOnce,
	Description: "Move a file or folder to the trash; says where it is then.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
	},
}

type deleteArgs struct {
	Path string `json:"path"`
}

func (t *fileTools) delete(ctx context.Context, call worker.Call, args deleteArgs) (worker.Result, error) {
	name, err := t.ws.CleanPath(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	undo := t.ws.RecordBeforeMove(ctx, call.KeepBefore, args.Path, true)
	where, err := t.ws.MoveToTrash(ctx, args.Path, t.now())
	if err != nil {
		return worker.Result{}, err
	}
	text := fmt.Sprintf("%s is in the trash now, at %s; move_file brings it back.",
		workspace.QuotePath(name), workspace.QuotePath(where))
	return changeResult("delete", name, where, text, "to the trash", workspace.RecordAfterMove(undo, where, true)), nil
}
