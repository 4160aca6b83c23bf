package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/hostcall"
	"mews/supervisor/operation"
	"mews/supervisor/pool"
)

// openOperations makes what has workers do what is no turn.
func (s *service) openOperations(context.Context) error {
	s.operations = operation.New(operation.Options[*hostcall.Conn]{
		Store: s.db.Operations(), Pool: s.pool, Folder: s.private("operations"), Audit: s.audit.Note, Now: s.now, Serves: s.active,
		Speech: s.config.Limits.Speech, Log: s.log.Named("operation"),
		Spec: func(user string, profile pool.Profile) (pool.Spec, error) {
			spec, err := s.workerSpec(user)
			spec.Profile = profile
			return spec, err
		},
	})
	return nil
}

// roomToSpare is what an archive leaves free of the disk that the state folder is on.
const roomToSpare = 256 << 20

// archive has a worker of a person archive their home, and waits for that. What was archived is
// dropped when it is closed, or an hour later.
func (s *service) archive(ctx context.Context, user string) (admin.Archive, error) {
	most, err := s.archiveLimit(user)
	if err != nil {
		return admin.Archive{}, err
	}
	// a number always can be
	parameters, _ := json.Marshal(protocol.ArchiveParameters{MaxBytes: most})
	op, err := s.operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationArchive, Parameters: string(parameters)})
	if err == nil {
		op, err = s.operations.Wait(ctx, op.ID)
	}
	if err != nil {
		return admin.Archive{}, fmt.Errorf("archive the home of %s: %w", user, err)
	}
	if op.State != supervisor.OperationDone {
		return admin.Archive{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotArchived, user, op.Result)
	}
	var result protocol.ArchiveResult
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		return admin.Archive{}, fmt.Errorf("read what came of archiving the home of %s: %w", user, err)
	}
	tar, size, err := s.operations.Open(op.ID, result.Blob.SHA256)
	if err != nil {
		return admin.Archive{}, fmt.Errorf("open the archive of the home of %s: %w", user, err)
	}
	a := admin.Archive{ReadCloser: droppedArchive{tar, func() { s.operations.Discard(op.ID) }}, Size: size}
	for _, left := range result.LeftOut {
		a.LeftOut = append(a.LeftOut, fmt.Sprintf("%q: %s\n", left.Path, left.Reason))
	}
	if result.LeftOutMore > 0 {
		a.LeftOut = append(a.LeftOut, fmt.Sprintf(textMoreLeftOut, result.LeftOutMore))
	}
	return a, nil
}

// archiveLimit is how large the archive of a home may become: as large as the home may be, where
// there is room for that; else as large as there is room for, where the home is known to fit.
func (s *service) archiveLimit(user string) (int64, error) {
	room, err := s.spool.Room()
	if err != nil {
		return 0, fmt.Errorf("look for room for an archive: %w", err)
	}
	room -= roomToSpare
	quota := int64(s.config.Worker.Disk)
	holds, more := s.places.Disk.Of(user)
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
