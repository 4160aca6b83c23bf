package filehistory

import (
	"context"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/worker/filehistory"
)

func (o Operation) forget(ctx context.Context, p protocol.FileHistoryParameters) (r protocol.FileHistoryResult,
	err error) {
	paths, err := o.pathsToForget(p)
	if err == nil {
		r.VersionCount, err = o.History.Forget(ctx, paths)
	}
	return r, err
}

func (o Operation) count(_ context.Context, p protocol.FileHistoryParameters) (r protocol.FileHistoryResult,
	err error) {
	paths, err := o.pathsToForget(p)
	if err != nil {
		return r, err
	}
	versions, err := o.History.CountEarlier(paths)
	r.Earlier, r.VersionCount = filehistory.NameEarlier(versions)
	return r, err
}

// pathsToForget returns the paths of a request, and those that its spans changed. It leaves out the
// memory among the latter, because only facts and notes are forgotten there.
func (o Operation) pathsToForget(p protocol.FileHistoryParameters) ([]string, error) {
	if len(p.Spans) == 0 {
		return p.Paths, nil
	}
	changed, err := o.History.PathsOfSpans(p.Spans)
	changed = slices.DeleteFunc(changed, func(path string) bool {
		return path == memoryFile || path == facts.NotesFolder || strings.HasPrefix(path, facts.NotesFolder+"/")
	})
	return append(slices.Clone(p.Paths), changed...), err
}

const memoryFile = "MEMORY.md"
