package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/pool"
)

// roomToSpare is the free space that must remain on the state folder's disk beside an archive.
const roomToSpare = 256 << 20

// Archive is a tar of a user's home. Close deletes the archive.
type Archive struct {
	io.ReadCloser
	Size    int64
	LeftOut []string // a line for each file that could not be read
}

// ArchiveHome lets a worker pack a user's home into an archive, and waits for the end. The archive
// has at most maxBytes bytes. The archive is deleted when it is closed, or at the next start. The
// user may already be deleted. If history is set, the archive has the home's file history too. The
// errors are for people.
func (o *Operations[H]) ArchiveHome(ctx context.Context, user string, maxBytes int64, history bool) (Archive, error) {
	a, _, err := o.archive(ctx, user, protocol.ArchiveParameters{MaxBytes: maxBytes, History: history})
	return a, err
}

// BackUpHome does the work of ArchiveHome for a backup. The result has no blob if the home still
// has the digest of p.Unless; then there is no Archive.
func (o *Operations[H]) BackUpHome(ctx context.Context, user string, p protocol.ArchiveParameters) (Archive,
	protocol.ArchiveResult, error) {
	p.Backup = true
	return o.archive(ctx, user, p)
}

func (o *Operations[H]) archive(ctx context.Context, user string, p protocol.ArchiveParameters) (a Archive,
	result protocol.ArchiveResult, err error) {
	parameters, _ := json.Marshal(p) // encoding these parameters can't fail
	profile := pool.ProfileHome
	if p.History {
		profile = pool.ProfileExport
	}
	id, raw, err := o.runOnce(ctx, user, profile, protocol.OperationKindArchive, string(parameters))
	if err != nil {
		o.DeleteBlobs(id)
		if told := new(supervisor.Error); errors.As(err, &told) {
			return a, result, &supervisor.Error{Code: told.Code, Message: fmt.Sprintf(textNotArchived, user,
				told.Message), Err: err}
		}
		return a, result, fmt.Errorf("archive the home of %s: %w", user, err)
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return a, result, fmt.Errorf("read the result of archiving the home of %s: %w", user, err)
	}
	a.LeftOut = leftOutLines(result.LeftOut, result.LeftOutMore)
	if result.Unchanged {
		o.DeleteBlobs(id)
		return a, result, nil
	}
	tar, size, err := o.OpenBlob(id, result.Blob.SHA256)
	if err != nil {
		o.DeleteBlobs(id)
		return a, result, fmt.Errorf("open the archive of the home of %s: %w", user, err)
	}
	a.ReadCloser, a.Size = temporaryArchive{tar, func() { o.DeleteBlobs(id) }}, size
	return a, result, nil
}

// leftOutLines returns a line for each name that was left out. If more names were left out, a last
// line has their number.
func leftOutLines(list []protocol.OmittedFile, more int64) (lines []string) {
	for _, left := range list {
		lines = append(lines, fmt.Sprintf("%q: %s\n", left.Path, left.Reason))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf(textMoreLeftOut, more))
	}
	return lines
}

// MaxArchiveSize returns the largest allowed size of a home's archive. If the disk has room for the
// home's quota, this is the quota. Otherwise it is the free room, if the home is known to fit into
// that room. room is the free space on the disk; quota is the limit of the home, and 0 means no
// limit. The parameter holds is the home's known size; if more is true, the home is larger than
// that. The error is for people.
func MaxArchiveSize(user string, room, quota, holds int64, more bool) (int64, error) {
	room -= roomToSpare
	switch {
	case quota > 0 && quota <= room:
		return quota, nil
	case room < protocol.MinArchiveBytes, more, holds > room:
		return 0, supervisor.Errorf(supervisor.CodeUnavailable, textNoArchiveRoom, user, amount.BinarySize(max(0,
			room)))
	}
	return room, nil
}

// temporaryArchive is an archive that is deleted when it is closed.
type temporaryArchive struct {
	io.ReadCloser
	drop func()
}

// Close closes the archive and deletes it.
func (a temporaryArchive) Close() error {
	defer a.drop()
	return a.ReadCloser.Close()
}
