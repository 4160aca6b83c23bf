package serve

import (
	"context"

	"mews/protocol"
	"mews/worker/dailylog"
	"mews/worker/memory"
)

// forgettableVersions are earlier versions of the home's files that can be forgotten.
type forgettableVersions interface {
	memory.Versions
	dailylog.Versions
	Forget(ctx context.Context, paths []string) (versions int64, err error)
}

// versionsToForget returns the earlier versions that a request to forget must search; nil means
// that this worker has none.
func (u *userTools) versionsToForget() forgettableVersions {
	switch {
	case u.historyBroken != nil:
		return brokenVersions{u.historyBroken}
	case u.oldVersions == nil:
		return nil
	}
	return u.oldVersions
}

// brokenVersions are in a file history that can't be opened. So nothing can be forgotten.
type brokenVersions struct{ err error }

func (b brokenVersions) PathsBelow(string) ([]string, error) { return nil, b.err }

func (b brokenVersions) EachVersion(context.Context, string, func(text []byte) error) error {
	return b.err
}

func (b brokenVersions) Search(context.Context, []string, []string) ([]string, error) {
	return nil, b.err
}

func (b brokenVersions) Forget(context.Context, []string) (int64, error) { return 0, b.err }

func (b brokenVersions) ForgetTraces(context.Context, []string, []string, []int64) (int64, error) {
	return 0, b.err
}

// forgetUpload deletes all versions of a file below uploads/ that was removed for good. It searches
// for the file by its key, so that a repeated call finds the file too.
func (u *userTools) forgetUpload(ctx context.Context, key string) error {
	old := u.versionsToForget()
	if old == nil {
		return nil
	}
	paths, err := old.PathsBelow(protocol.UploadsFolder)
	if err != nil {
		return err
	}
	var removed []string
	for _, path := range paths {
		if protocol.UploadKey(path) == key {
			removed = append(removed, path)
		}
	}
	_, err = old.Forget(ctx, removed)
	return err
}
