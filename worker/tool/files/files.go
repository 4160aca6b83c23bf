// Package files is the family of tools that list, read, search and change the files of a workspace, and the one that
// tells the time. What a path may be and what the folder's rules are is the workspace's business; what the texts of
// files are, and how much of them a model is shown at once, is decided here.
package files

import (
	"context"
	"encoding/json"
	"fmt"
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
		define(appendSpec, appendArgs{}, t.append),
		define(deleteSpec, deleteArgs{}, t.delete),
		define(editSpec, editArgs{}, t.edit),
		define(timeSpec, timeArgs{}, t.time),
		define(listSpec, listArgs{Limit: listLimit}, t.list),
		define(moveSpec, moveArgs{}, t.move),
		define(readSpec, readArgs{StartLine: 1}, t.read),
		define(readManySpec, readManyArgs{}, t.readMany),
		define(searchSpec, searchArgs{Limit: searchLimit}, t.search),
		define(writeSpec, writeArgs{Overwrite: true}, t.write),
	}
}

// spec is a tool as the model is told of it, with its schema as text.
type spec struct {
	name        string
	effect      protocol.ToolEffect
	description string
	properties  string // the schema's, a JSON object
	required    string // the schema's, a JSON array
}

// define makes a tool of a function. Arguments that a call does not give are those of defaults.
func define[A any](s spec, defaults A, run func(context.Context, worker.Call, A) (worker.Result, error)) worker.Tool {
	schema := fmt.Sprintf(`{"type":"object","properties":%s,"required":%s,"additionalProperties":false}`,
		s.properties, s.required)
	return worker.Tool{
		Tool: protocol.Tool{
			Name: s.name, Description: s.description, Schema: json.RawMessage(schema), Effect: s.effect,
		},
		Run: func(ctx context.Context, call worker.Call) (worker.Result, error) {
			args := defaults
			if err := worker.Decode(call, &args); err != nil {
				return worker.Result{}, fmt.Errorf("%s: %w", s.name, err)
			}
			return run(ctx, call, args)
		},
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
