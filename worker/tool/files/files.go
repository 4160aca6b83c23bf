// Package files is the family of tools that list, read, search and change the files of a workspace.
// It also has the tool that tells the time. The workspace decides which paths are allowed. This
// package decides how a file's text is decoded, and how much of it a model is shown at once.
package files

import (
	"cmp"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

// fileTools implements the tools of the family.
type fileTools struct {
	ws   *workspace.Workspace
	now  func() time.Time
	zone *time.Location
}

// Tools makes the family's tools for a workspace, which the caller closes later. Times are shown in
// zone; nil means the machine's own.
func Tools(ws *workspace.Workspace, now func() time.Time, zone *time.Location) []worker.Tool {
	t := &fileTools{ws: ws, now: now, zone: cmp.Or(zone, time.Local)}
	return []worker.Tool{
		worker.DefineTool(appendSpec, appendArgs{}, withSimilarPaths(ws, (*appendArgs).paths, t.append)),
		worker.DefineTool(deleteSpec, deleteArgs{}, withSimilarPaths(ws, (*deleteArgs).paths, t.delete)),
		worker.DefineTool(editSpec, editArgs{}, withSimilarPaths(ws, (*editArgs).paths, t.edit)),
		worker.DefineTool(timeSpec, timeArgs{}, t.time),
		worker.DefineTool(listSpec, listArgs{Limit: listLimit}, withSimilarPaths(ws, (*listArgs).paths, t.list)),
		worker.DefineTool(moveSpec, moveArgs{}, withSimilarPaths(ws, (*moveArgs).paths, t.move)),
		worker.DefineTool(readSpec, readArgs{StartLine: 1}, withSimilarPaths(ws, (*readArgs).paths, t.read)),
		worker.DefineTool(
			searchSpec,
			searchArgs{Limit: searchLimit},
			withSimilarPaths(ws, (*searchArgs).paths, t.search),
		),
		worker.DefineTool(writeSpec, writeArgs{}, withSimilarPaths(ws, (*writeArgs).paths, t.write)),
	}
}

// changeResult makes a Result with one change. The argument u is the change's undo; nil means that
// no file was changed.
func changeResult(kind, target, detail, text, brief string, u *protocol.Undo) worker.Result {
	return worker.Result{
		Text: text, Brief: brief, Changes: []protocol.Change{{Kind: kind, Target: target, Detail: detail, Undo: u}},
	}
}
