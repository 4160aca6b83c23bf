package shell

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/workspace"
)

// changedSince lists the files of the workspace that were made or changed since a time, at most
// maxNamed. It compares names, sizes and times once, so it does not see deleted files. It ends with
// ctx.
func (e *environment) changedSince(ctx context.Context, since time.Time) (changes []protocol.Change) {
	entries, more, temp := 0, 0, e.tempName()
	err := e.ws.Walk(ctx, ".", func(entry workspace.Entry) error {
		if entries++; entries > e.options.limits.entries {
			return errTooManyFiles
		}
		switch {
		case entry.Path == temp:
			return fs.SkipDir
		case entry.Err != nil || !entry.Info.Mode().IsRegular() || changedAt(entry.Info).Before(since):
		case len(changes) == maxNamed:
			more++
		default:
			changes = append(
				changes,
				programChange(
					entry.Path,
					amount.FormatBytes(entry.Info.Size()),
					protocol.LargeFileState(entry.Info.Size(), entry.Info.ModTime()),
				),
			)
		}
		return nil
	})
	if err != nil {
		return []protocol.Change{programChange(".", fmt.Sprintf("which files is not known: the folder holds more "+
			"than %s", amount.FormatNumber(int64(e.options.limits.entries))), protocol.FileStateAbsent)}
	}
	if more > 0 {
		changes = append(
			changes,
			protocol.Change{Kind: "program", Target: amount.Plural(more, "more file", "more files")},
		)
	}
	return changes
}

func programChange(path, detail string, after protocol.FileState) protocol.Change {
	return protocol.Change{Kind: "program", Target: path, Detail: detail,
		Undo: workspace.RecordProgramChange(path, after)}
}
