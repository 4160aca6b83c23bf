package filehistory

import (
	"fmt"

	"mews/protocol"
)

// room is how much a history may grow.
type room struct {
	most  int64                                 // bytes from the configuration
	limit int64                                 // most bytes at present
	free  int64                                 // bytes between the used bytes and the limit
	left  int64                                 // bytes that may be added before the disk is asked again
	disk  func() (free, total int64, err error) // numbers of the disk
	tried int64                                 // newest point when makeRoom last found nothing
}

const (
	freeShare = 10      // a history uses at most a tenth of the free bytes
	roomStep  = 4 << 20 // bytes after which the disk is asked again
)

// measureRoom sets the limit and the bytes that may be added.
func (s *store) measureRoom() error {
	free, total, err := s.room.disk()
	if err != nil {
		return fmt.Errorf("measure the disk of the file history: %w", err)
	}
	used := s.packs.total()
	s.room.limit = min(s.room.most, (free+used)/freeShare)
	s.room.free = min(s.room.limit-used, free-protocol.DiskReserve(total))
	s.room.left = min(s.room.free, roomStep)
	return nil
}

// checkRoom reserves room for a number of bytes. If there is too little, it makes room.
func (s *store) checkRoom(n int64) error {
	if n > s.room.left {
		if err := s.measureRoom(); err != nil {
			return err
		}
	}
	if n > s.room.left {
		if err := s.makeRoom(n); err == errStopped {
			s.room.tried = 0
			return err
		} else if err != nil {
			s.report(err) // there is no room then
		}
	}
	if n > s.room.left {
		return errNoRoom
	}
	s.room.left -= n
	return nil
}

// mayRetry reports whether there may now be room for a file that was refused for lack of room.
func (s *store) mayRetry(e *entry) bool {
	if e.kind != file || e.why != noRoom || e.isKept() || e.size > s.room.free {
		return false
	}
	return !s.isFirstSeen(e) || s.packs.total() <= s.room.limit/2
}
