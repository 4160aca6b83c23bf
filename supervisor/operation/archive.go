package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
)

// roomToSpare is the free space that an archive leaves on the disk of the state folder.
const roomToSpare = 256 << 20

// Archive is a tar of a user's home. Closing it deletes it.
type Archive struct {
	io.ReadCloser
	Size    int64
	LeftOut []string // lines about files that could not be read
}

// Archive lets a worker archive a user's home in at most maxBytes bytes, and waits. The
// archive is deleted when it is closed, or after an hour. The errors are for people.
func (o *Operations[H]) Archive(ctx context.Context, user string, maxBytes int64) (Archive, error) {
	// a number can always be encoded
	parameters, _ := json.Marshal(protocol.ArchiveParameters{MaxBytes: maxBytes})
	op, err := o.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationArchive,
		Parameters: string(parameters)})
	if err == nil {
		op, err = o.Wait(ctx, op.ID)
	}
	if err != nil {
		return Archive{}, fmt.Errorf("archive the home of %s: %w", user, err)
	}
	if op.State != supervisor.OperationDone {
		return Archive{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotArchived, user, op.Result)
	}
	var result protocol.ArchiveResult
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		return Archive{}, fmt.Errorf("read the result of archiving the home of %s: %w", user, err)
	}
	tar, size, err := o.Open(op.ID, result.Blob.SHA256)
	if err != nil {
		return Archive{}, fmt.Errorf("open the archive of the home of %s: %w", user, err)
	}
	a := Archive{ReadCloser: temporaryArchive{tar, func() { o.Discard(op.ID) }}, Size: size}
	for _, left := range result.LeftOut {
		a.LeftOut = append(a.LeftOut, fmt.Sprintf("%q: %s\n", left.Path, left.Reason))
	}
	if result.LeftOutMore > 0 {
		a.LeftOut = append(a.LeftOut, fmt.Sprintf(textMoreLeftOut, result.LeftOutMore))
	}
	return a, nil
}

// ArchiveLimit returns the largest size of a home's archive. It is the home's quota if there is
// room for that. Otherwise it is the free room if the home is known to fit. The parameter room is
// the free space on the disk, and quota the limit of the home (0 means no limit). The home's known
// size is holds; it is larger if more is true. The error is for people.
func ArchiveLimit(user string, room, quota, holds int64, more bool) (int64, error) {
	room -= roomToSpare
	switch {
	case quota > 0 && quota <= room:
		return quota, nil
	case room < protocol.MinArchive, more, holds > room:
		return 0, supervisor.Errorf(supervisor.CodeUnavailable, textNoArchiveRoom, user, amount.Size(max(0, room)))
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
