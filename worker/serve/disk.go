package serve

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/worker/program"
)

// growthWait is how long the supervisor waits for a count of the home, when a disk is nearly full.
const growthWait = 400 * time.Millisecond

// diskUse has a worker's facts about the writes of its programs. Any goroutine may use it.
type diskUse struct {
	writtenBefore atomic.Int64 // bytes that were written before the running programs started
	held          atomic.Bool  // the worker's programs may not write until the disk has its reserve again
}

// noteProgramStart is called when a program starts while no other program runs.
func (u *userTools) noteProgramStart() {
	u.disk.writtenBefore.Store(program.WrittenBytes())
	u.quota.RecordProgramStart()
}

// start starts a program. If the worker's programs have filled the disk, the program may delete
// files, but not write.
func (u *userTools) start(cmd *exec.Cmd) error {
	if u.disk.held.Load() && !u.quota.DiskIsLow() {
		u.disk.held.Store(false)
	}
	if u.disk.held.Load() {
		program.ForbidWrites(cmd)
	}
	return u.options.Start(cmd)
}

// diskGrowth returns how many bytes the running programs have written.
func (s *server) diskGrowth(ctx context.Context, _ *protocol.Request) (any, error) {
	u := s.userTools()
	if u == nil || !u.hasHome() || !u.runPrograms() {
		return protocol.DiskGrowth{}, nil
	}
	bytes, files, partial := u.quota.Growth(ctx, growthWait)
	written := max(0, program.WrittenBytes()-u.disk.writtenBefore.Load())
	return protocol.DiskGrowth{Programs: max(1, u.programs.Children.Len()), Bytes: bytes, Files: files,
		Written: written, Partial: partial}, nil
}

// thinHistory deletes old versions of the home's files, because a disk is nearly full.
func (s *server) thinHistory(ctx context.Context, _ *protocol.Request) (any, error) {
	if u := s.userTools(); u != nil && u.history != nil {
		return nil, u.history.Thin(ctx)
	}
	return nil, nil
}

// holdDisk keeps later programs from writing, until the disk has its reserve again.
func (s *server) holdDisk(context.Context, *protocol.Request) (any, error) {
	if u := s.userTools(); u != nil {
		u.disk.held.Store(true)
	}
	return nil, nil
}

// reportExcess tells the supervisor that programs let the home grow beyond its limits.
func (s *server) reportExcess(bytes, files int64) {
	ctx, cancel := context.WithTimeout(context.Background(), eventTimeout)
	defer cancel()
	err := s.conn.Notify(ctx, protocol.MethodDiskExceeded, protocol.DiskExceeded{Bytes: bytes, Files: files})
	if err != nil && !errors.Is(err, protocol.ErrClosed) {
		s.options.Report(fmt.Errorf("say that the home holds too much: %w", err))
	}
}
