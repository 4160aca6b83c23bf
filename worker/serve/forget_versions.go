package serve

import (
	"context"

	"mews/protocol"
)

// forgetUpload deletes all versions of a file below uploads/ that was removed for good. It searches
// for the file by its key, so that a repeated call finds the file too.
func (u *userTools) forgetUpload(ctx context.Context, key string) error {
	if u.history == nil {
		return nil
	}
	paths, err := u.history.PathsBelow(protocol.UploadsFolder)
	if err != nil {
		return err
	}
	var removed []string
	for _, path := range paths {
		if protocol.UploadKey(path) == key {
			removed = append(removed, path)
		}
	}
	_, err = u.history.Forget(ctx, removed)
	return err
}
