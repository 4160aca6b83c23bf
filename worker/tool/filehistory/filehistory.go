// Package filehistory has the tools and the operation for earlier versions of files.
package filehistory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/filehistory"
	"mews/worker/workspace"
)

// familyName is the family of the tools. The model opens them with find_tools.
const familyName = "versions"

var listSpec = worker.ToolSpec{
	Name: "file_history", Family: familyName, Effect: protocol.EffectNone,
	Description: "List earlier versions of a file or folder, also of a deleted one: version, date, size, who.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
		{Name: "at", Type: worker.StringArgument, Description: atText + "; only versions until then"},
	},
}

var restoreSpec = worker.ToolSpec{
	Name: "restore_file", Family: familyName, Effect: protocol.EffectOnce,
	Description: "Bring back an earlier version of a file or folder, also a deleted one. Give version or at.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true, Description: ". is the whole home"},
		{Name: "version", Type: worker.StringArgument, Description: "as file_history shows it"},
		{Name: "at", Type: worker.StringArgument, Description: atText},
		{Name: "copy_to", Type: worker.StringArgument, Description: "a new path instead"},
		{Name: "preview", Type: worker.BooleanArgument, Description: "only tell what would change"},
	},
}

// atText describes a time to the model.
const atText = "such as 2026-11-29 09:00"

// fileHistory makes the tools of the family.
type fileHistory struct {
	ws      *workspace.Workspace
	history *filehistory.History
	zone    *time.Location
}

// Tools makes the tools over a home and its history, which the caller closes later. Without a
// history there are no tools. Times are shown and read in zone.
func Tools(ws *workspace.Workspace, history *filehistory.History, zone *time.Location) []worker.Tool {
	if history == nil {
		return nil
	}
	f := &fileHistory{ws: ws, history: history, zone: zone}
	return []worker.Tool{
		worker.DefineTool(listSpec, listArgs{}, f.list),
		worker.DefineTool(restoreSpec, restoreArgs{}, f.restore),
	}
}

type listArgs struct {
	Path string `json:"path"`
	At   string `json:"at"`
}

func (f *fileHistory) list(ctx context.Context, _ worker.Call, args listArgs) (worker.Result, error) {
	name, err := f.ws.CleanPath(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	if err := f.history.Scan(ctx); err != nil { // so that the newest version is the present file
		return worker.Result{}, fmt.Errorf("list versions: %w", err)
	}
	before := int64(0)
	if args.At != "" {
		point, err := f.findPoint(args.At)
		if err != nil {
			return worker.Result{}, err
		}
		before = point + 1
	}
	versions, more, err := f.history.Versions(name, before)
	if err != nil {
		return worker.Result{}, fmt.Errorf("list the versions of %s: %w", workspace.QuotePath(name), err)
	}
	if len(versions) == 0 {
		return worker.Result{Text: fmt.Sprintf("No version of %s is kept.", workspace.QuotePath(name)),
			Brief: "none"}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Versions of %s, newest first; restore_file brings one back:\n", workspace.QuotePath(name))
	for _, v := range versions {
		fmt.Fprintf(&b, "version %s  %s  %s  %s\n", v.Name(), v.At.In(f.zone).Format(timeLayout), describeState(v),
			describeAuthor(v))
	}
	if more {
		fmt.Fprintf(&b, "... and older ones; give at: %s\n", versions[len(versions)-1].At.In(f.zone).Format(timeLayout))
	}
	return worker.Result{Text: b.String(), Brief: amount.Plural(len(versions), "version", "versions")}, nil
}

// describeState tells in a few words what a version is.
func describeState(v protocol.FileVersion) string {
	switch {
	case v.State == protocol.FileStateAbsent:
		return "deleted"
	case v.State == protocol.FileStateFolder || v.State == protocol.FileStateLink:
		return "a " + string(v.State)
	case v.NotKept != "":
		return amount.FormatBytes(v.Size) + ", not kept: " + v.NotKept
	}
	return amount.FormatBytes(v.Size)
}

// authorWords are words about each kind of author.
var authorWords = map[protocol.HistoryAuthorKind]string{
	protocol.HistoryAuthorTool: "tool", protocol.HistoryAuthorProgram: "program", protocol.HistoryAuthorUndo: "undo",
	protocol.HistoryAuthorRestore: "restore", protocol.HistoryAuthorUser: "the user",
	protocol.HistoryAuthorOther: "not known: changed before then",
}

func describeAuthor(v protocol.FileVersion) string {
	words := authorWords[v.By.Kind]
	if v.By.Words != "" {
		words += ": " + v.By.Words
	}
	if v.Shared {
		words += ", or another program that ran then"
	}
	return words
}

type restoreArgs struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	At      string `json:"at"`
	CopyTo  string `json:"copy_to"`
	Preview bool   `json:"preview"`
}

func (f *fileHistory) restore(ctx context.Context, call worker.Call, args restoreArgs) (r worker.Result, err error) {
	request := filehistory.RestoreRequest{Preview: args.Preview}
	if request.Path, err = f.ws.CleanPath(args.Path); err != nil {
		return r, err
	}
	if args.CopyTo != "" {
		if request.Copy, err = f.ws.CleanPath(args.CopyTo); err != nil {
			return r, err
		}
	}
	switch {
	case (args.Version == "") == (args.At == ""):
		return r, errors.New("give either version or at; file_history lists the versions")
	case request.Copy == ".":
		return r, errors.New("copy_to is the whole home; name a new path in it")
	case args.At != "":
		request.Point, err = f.findPoint(args.At)
	default:
		request.Point, err = f.findVersion(args.Version)
	}
	if err != nil {
		return r, err
	}
	// an author without words has a span of its own for each restore
	done, err := f.history.Restore(ctx, request, protocol.HistoryAuthor{Kind: protocol.HistoryAuthorRestore,
		Turn: call.Turn})
	if err != nil {
		err = explain(fmt.Sprintf("restore %s", workspace.QuotePath(request.Path)), err)
	}
	return f.restored(request, done), err
}

// findVersion returns the point of a version. The error is for people.
func (f *fileHistory) findVersion(name string) (int64, error) {
	point, nonce, err := protocol.ParseVersion(name)
	if err == nil && nonce != "" {
		if err = f.history.CheckPoint(point, nonce); err != nil {
			err = explain("find version "+name, err)
		}
	}
	return point, err
}

// restored returns the result of a restore, with its changes even after an error.
func (f *fileHistory) restored(request filehistory.RestoreRequest, done filehistory.RestoreResult) (r worker.Result) {
	r.Brief = countRestored(done)
	target := request.Path
	if request.Copy != "" {
		target = request.Copy
	}
	verb := "was restored"
	if request.Preview {
		verb = "would be restored"
	}
	r.Text = fmt.Sprintf("%s %s as in version %d: %s.", workspace.QuotePath(target), verb, request.Point, r.Brief)
	for _, named := range []struct {
		title string
		protocol.PathCount
	}{{"restored", done.Restored}, {"deleted", done.Deleted}, {"not kept, so unchanged", done.NotKept},
		{"could not be changed", done.Failed}} {
		if named.Count > 0 {
			r.Text += "\n" + named.title + ": " + namePaths(named.PathCount)
		}
	}
	if isChange(done.Span) {
		r.Changes = []protocol.Change{{Kind: "restore", Target: target, Detail: fmt.Sprintf("version %d: %s",
			request.Point, r.Brief),
			Undo: &protocol.Undo{Path: ".", Span: &done.Span}}}
	}
	return r
}

// isChange reports whether a span has any points.
func isChange(span protocol.HistorySpan) bool { return span.To > span.From }

// countRestored returns the counts of a restore in a few words.
func countRestored(done filehistory.RestoreResult) string {
	text := amount.FormatNumber(done.Restored.Count) + " restored"
	if done.Deleted.Count > 0 {
		text += ", " + amount.FormatNumber(done.Deleted.Count) + " deleted"
	}
	if done.NotKept.Count > 0 {
		text += ", " + amount.FormatNumber(done.NotKept.Count) + " not kept"
	}
	if done.Failed.Count > 0 {
		text += ", " + amount.FormatNumber(done.Failed.Count) + " failed"
	}
	return text
}

// namePaths names the paths of a count in one line.
func namePaths(c protocol.PathCount) string {
	var names []string
	for _, path := range c.Named {
		names = append(names, workspace.QuotePath(path))
	}
	if more := c.Count - int64(len(names)); more > 0 {
		names = append(names, fmt.Sprintf("%s more", amount.FormatNumber(more)))
	}
	return strings.Join(names, ", ")
}

// explain returns an error for people.
func explain(attempt string, err error) error {
	if errors.Is(err, filehistory.ErrAbsent) {
		return fmt.Errorf("%s: %w", attempt, filehistory.ErrAbsent)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such version is kept; list the versions", attempt)
	}
	if errors.Is(err, filehistory.ErrOtherHistory) {
		err = filehistory.ErrOtherHistory
	}
	return fmt.Errorf("%s: %w", attempt, err)
}
