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

// roomToSpare is what an archive leaves free of the disk that the state folder is on.
const roomToSpare = 256 << 20

// Archive is a tar of somebody's home. Closing it drops it.
type Archive struct {
	io.ReadCloser
	Size    int64
	LeftOut []string // lines about what could not be had
}

// Archive has a worker of a person archive their home in at most so many bytes, and waits for that.
// The archive is dropped when it is closed, or an hour later. Its errors are for people.
func (o *Operations[H]) Archive(ctx context.Context, user string, most int64) (Archive, error) {
	// a number always can be
	parameters, _ := json.Marshal(protocol.ArchiveParameters{MaxBytes: most})
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
		return Archive{}, fmt.Errorf("read what came of archiving the home of %s: %w", user, err)
	}
	tar, size, err := o.Open(op.ID, result.Blob.SHA256)
	if err != nil {
		return Archive{}, fmt.Errorf("open the archive of the home of %s: %w", user, err)
	}
	a := Archive{ReadCloser: droppedArchive{tar, func() { o.Discard(op.ID) }}, Size: size}
	for _, left := range result.LeftOut {
		a.LeftOut = append(a.LeftOut, fmt.Sprintf("%q: %s\n", left.Path, left.Reason))
	}
	if result.LeftOutMore > 0 {
		a.LeftOut = append(a.LeftOut, fmt.Sprintf(textMoreLeftOut, result.LeftOutMore))
	}
	return a, nil
}

// ArchiveLimit is how large the archive of a home may become: as large as the home may be, if there
// is room for that; else as large as there is room for, if the home is known to fit. room is what is
// free on the disk, quota what the home may hold (0: no limit), and holds what it is known to hold;
// more says that it holds more than that. The error is for people.
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

// droppedArchive is an archive that is dropped when it is closed.
type droppedArchive struct {
	io.ReadCloser
	drop func()
}

// Close closes the archive and drops it.
func (a droppedArchive) Close() error {
	defer a.drop()
	return a.ReadCloser.Close()
}
