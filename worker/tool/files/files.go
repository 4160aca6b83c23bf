// Package files is the family of tools that list, read, search and change the files of a workspace, and the one that
// tells the time. What a path may be and what the folder's rules are is the workspace's business; what the texts of
// files are, and how much of them a model is shown at once, is decided here.
package files

import (
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

// fileTools is what the tools of the family share.
type fileTools struct {
	ws   *workspace.Workspace
	now  func() time.Time
	zone *time.Location
}

// Tools makes the family over a workspace, which stays the caller's to close. Times are shown in zone; nil is the
// machine's own.
func Tools(ws *workspace.Workspace, now func() time.Time, zone *time.Location) []worker.Tool {
	if zone == nil {
		zone = time.Local
	}
	t := &fileTools{ws: ws, now: now, zone: zone}
	return []worker.Tool{
		worker.Define(appendSpec, appendArgs{}, t.append),
		worker.Define(deleteSpec, deleteArgs{}, t.delete),
		worker.Define(editSpec, editArgs{}, t.edit),
		worker.Define(timeSpec, timeArgs{}, t.time),
		worker.Define(listSpec, listArgs{Limit: listLimit}, t.list),
		worker.Define(moveSpec, moveArgs{}, t.move),
		worker.Define(readSpec, readArgs{StartLine: 1}, t.read),
		worker.Define(readManySpec, readManyArgs{}, t.readMany),
		worker.Define(searchSpec, searchArgs{Limit: searchLimit}, t.search),
		worker.Define(writeSpec, writeArgs{Overwrite: true}, t.write),
	}
}

// folderPath is the path of a folder to look into, where none stands for the whole workspace.
func folderPath(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// changeResult is a Result with one change.
func changeResult(kind, target, detail, text, brief string) worker.Result {
	return worker.Result{
		Text: text, Brief: brief, Changes: []protocol.Change{{Kind: kind, Target: target, Detail: detail}},
	}
}
