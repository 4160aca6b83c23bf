package filehistory

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
)

// CountEarlier counts the earlier versions of some files of a user's home.
func (h *FileHistory) CountEarlier(ctx context.Context, user string, of supervisor.ChangedFiles) (
	earlier protocol.EarlierVersions, err error) {
	err = h.eachPart(ctx, user, protocol.FileHistoryCount, of, func(r protocol.FileHistoryResult) {
		named := r.Earlier.Files[:min(len(r.Earlier.Files), protocol.MaxNamedPaths-len(earlier.Files))]
		earlier.Files = append(earlier.Files, named...)
		earlier.More += r.Earlier.More + int64(len(r.Earlier.Files)-len(named))
	})
	return earlier, err
}

// ForgetEarlier deletes and counts the earlier versions of some files of a user's home. The present
// versions stay. A second call deletes no further versions.
func (h *FileHistory) ForgetEarlier(ctx context.Context, user string, of supervisor.ChangedFiles) (versions int64,
	err error) {
	err = h.eachPart(ctx, user, protocol.FileHistoryForget, of, func(r protocol.FileHistoryResult) {
		versions += r.VersionCount
	})
	return versions, err
}

// eachPart runs an action on some files, in parts, and calls add with each result. It also finds
// versions from before if no file history is kept any longer.
func (h *FileHistory) eachPart(ctx context.Context, user string, action protocol.FileHistoryAction,
	of supervisor.ChangedFiles, add func(protocol.FileHistoryResult)) error {
	for !of.IsEmpty() {
		paths := of.Paths[:min(len(of.Paths), protocol.MaxForgottenPaths)]
		spans := of.Spans[:min(len(of.Spans), protocol.MaxForgottenSpans)]
		of.Paths, of.Spans = of.Paths[len(paths):], of.Spans[len(spans):]
		r, err := h.runAlways(ctx, user, 0, protocol.FileHistoryParameters{Action: action, Paths: paths, Spans: spans})
		if err != nil {
			return err
		}
		add(r)
	}
	return nil
}
