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

// sum runs an action on some paths, and returns the number of versions. If there is no file
// history, the number is 0.
func (h *FileHistory) sum(ctx context.Context, user string, action protocol.FileHistoryAction, paths []string) (
	versions int64, err error) {
	if h.WhyOff(user) != "" {
		return 0, nil
	}
	for len(paths) > 0 && err == nil {
		some := paths[:min(len(paths), protocol.MaxForgottenPaths)]
		paths = paths[len(some):]
		var r protocol.FileHistoryResult
		r, err = h.run(ctx, user, 0, protocol.FileHistoryParameters{Action: action, Paths: some})
		versions += r.Gone
	}
	return versions, err
}
