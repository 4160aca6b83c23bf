// Package uploads has the tools for the files that the user has sent.
package uploads

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

var listSpec = worker.ToolSpec{
	Name:        "list_uploads",
	Family:      "uploads",
	Effect:      protocol.EffectNone,
	Description: "List the files that the person sent (uploads/), newest first.",
	Arguments: []worker.Argument{
		{Name: "limit", Type: worker.IntegerArgument, Description: "entries, default 20"},
	},
}

var deleteSpec = worker.ToolSpec{
	Name:        "delete_upload",
	Family:      "uploads",
	Effect:      protocol.EffectOnce,
	Description: "Move a file below uploads/ to the trash.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
	},
}

const (
	listLimit    = 20
	listLimitMax = 500
)

type listArgs struct {
	Limit int `json:"limit"`
}

type deleteArgs struct {
	Path string `json:"path"`
}

// uploads makes the tools of the family.
type uploads struct {
	ws   *workspace.Workspace
	now  func() time.Time
	zone *time.Location
}

// Tools makes the tools over a workspace, which the caller closes later. Times are shown in zone.
func Tools(ws *workspace.Workspace, now func() time.Time, zone *time.Location) []worker.Tool {
	u := &uploads{ws: ws, now: now, zone: zone}
	return []worker.Tool{
		worker.DefineTool(deleteSpec, deleteArgs{}, u.delete),
		worker.DefineTool(listSpec, listArgs{Limit: listLimit}, u.list),
	}
}

// list lists the newest files. Their paths sort by the time of sending.
func (u *uploads) list(ctx context.Context, _ worker.Call, args listArgs) (worker.Result, error) {
	var found []workspace.Entry
	err := u.walk(ctx, func(e workspace.Entry) { found = append(found, e) })
	if err != nil {
		return worker.Result{}, err
	}
	slices.Reverse(found)
	limit := min(max(args.Limit, 1), listLimitMax)
	var b strings.Builder
	for _, e := range found[:min(limit, len(found))] {
		fmt.Fprintf(&b, "%s  %s  %s\n", workspace.QuotePath(e.Path), amount.FormatBytes(e.Info.Size()), u.sentAt(e))
	}
	switch n := len(found); {
	case n == 0:
		b.WriteString("There are no files in uploads/.")
	case n > limit:
		fmt.Fprintf(&b, "... and %s older ones; raise limit.", amount.FormatNumber(int64(n-limit)))
	}
	return worker.Result{
		Text:  b.String(),
		Brief: amount.Plural(len(found), "file", "files"),
		World: len(found) > 0,
	}, nil
}

// walk visits the files below uploads/.
func (u *uploads) walk(ctx context.Context, visit func(workspace.Entry)) error {
	if _, err := u.ws.Stat(protocol.UploadsFolder); err != nil {
		return nil // no error: no file was sent yet
	}
	return u.ws.Walk(ctx, protocol.UploadsFolder, func(e workspace.Entry) error {
		if e.Err == nil && e.Info.Mode().IsRegular() {
			visit(e)
		}
		return nil
	})
}

// sentAt returns the time of sending from a file's path, or else the time of its last change.
func (u *uploads) sentAt(e workspace.Entry) string {
	day, name := path.Base(path.Dir(e.Path)), path.Base(e.Path)
	at, err := time.ParseInLocation(time.DateOnly+" 150405", day+" "+name[:min(6, len(name))], u.zone)
	if err != nil {
		at = e.Info.ModTime().In(u.zone)
	}
	return at.Format("2006-01-02 15:04")
}

func (u *uploads) delete(ctx context.Context, call worker.Call, args deleteArgs) (worker.Result, error) {
	taken, note := u.ws.SimilarPath(args.Path)
	args.Path = taken
	name, err := u.ws.CleanPath(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	info, err := u.ws.Stat(name)
	if err == nil && (!strings.HasPrefix(name, protocol.UploadsFolder+"/") || !info.Mode().IsRegular()) {
		err = fmt.Errorf("delete %s: it is no file below uploads/; delete_file deletes others",
			workspace.QuotePath(name))
	}
	if err != nil {
		return worker.Result{}, err
	}
	undo := u.ws.RecordBeforeMove(ctx, call.KeepBefore, name, true)
	where, err := u.ws.MoveToTrash(ctx, name, u.now())
	if err != nil {
		return worker.Result{}, err
	}
	return worker.Result{
		Text: strings.TrimPrefix(note+"\n", "\n") + fmt.Sprintf(
			"%s is in the trash now, at %s; move_file brings it back.",
			workspace.QuotePath(name),
			workspace.QuotePath(where),
		),
		Brief: "to the trash",
		Changes: []protocol.Change{
			{Kind: "delete", Target: name, Detail: where, Undo: workspace.RecordAfterMove(undo, where, true)},
		},
	}, nil
}
