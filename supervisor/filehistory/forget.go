package filehistory

import (
	"context"

	"mews/protocol"
)

// CountEarlier counts the earlier versions of some files of a user's home.
func (h *FileHistory) CountEarlier(ctx context.Context, user string, paths []string) (int64, error) {
	return h.sum(ctx, user, protocol.FileHistoryCount, paths)
}

// ForgetEarlier deletes and counts the earlier versions of some files of a user's home. The present
// versions stay. A second call deletes no further versions.
func (h *FileHistory) ForgetEarlier(ctx context.Context, user string, paths []string) (int64, error) {
	return h.sum(ctx, user, protocol.FileHistoryForget, paths)
}

// sum runs an action on some paths, and returns the number of versions. Versions from before also
// count if no file history is kept any longer.
func (h *FileHistory) sum(ctx context.Context, user string, action protocol.FileHistoryAction, paths []string) (
	versions int64, err error) {
	for len(paths) > 0 && err == nil {
		some := paths[:min(len(paths), protocol.MaxForgottenPaths)]
		paths = paths[len(some):]
		var r protocol.FileHistoryResult
		r, err = h.runAlways(ctx, user, 0, protocol.FileHistoryParameters{Action: action, Paths: some})
		versions += r.Gone
	}
	return versions, err
}
