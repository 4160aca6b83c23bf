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
	tried int64                                 // newest point when makeRoom last freed too little

	records      int64 // bytes of records of changes that may be added
	overReserve  int64 // bytes between the disk's free bytes and its reserve
	triedRecords int64 // newest point when thinRecords was last called
	small        int64 // bytes of a small point's records: smallPoint, or less in tests
	reserved     int64 // bytes of records that a running restore may add, whatever the disk holds
}

const (
	freeShare = 10      // a history uses at most a tenth of the free bytes
	roomStep  = 4 << 20 // bytes after which the disk is asked again

	recordsShare = 8       // this part of the room is for records of changes only
	smallPoint   = 4 << 20 // records that any room holds; so few of a point may use the disk's reserve
)

// measureRoom sets the limit and the bytes that may be added.
func (s *store) measureRoom() error {
	free, total, err := s.room.disk()
	if err != nil {
		return fmt.Errorf("measure the disk of the file history: %w", err)
	}
	used, records := s.packs.total(), s.packs.records()
	s.room.limit = min(s.room.most, (free+used)/freeShare)
	s.room.overReserve = free - protocol.DiskReserve(total)
	s.room.free = min(s.room.limit-used-max(0, s.room.limit/recordsShare-records), s.room.overReserve)
	s.room.records = max(s.room.most-used, s.room.most/recordsShare-records, s.room.small-records)
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
	for range 2 { // a deletion can go once nothing older of its path is left
		if n <= s.room.left || s.room.tried == s.index.last() {
			break
		}
		if err := s.makeRoom(n); err == errStopped {
			s.room.tried = 0
			return err
		} else if err != nil {
			s.report(err) // there is no room then
		}
	}
	if n > s.room.left {
		s.room.tried = s.index.last()
		return errNoRoom
	}
	s.room.left -= n
	return nil
}

// fitsRecords reports whether the records of a point may be added. Records may exceed a limit that
// only follows from a lack of room on the disk, because an undo needs them.
func (r *room) fitsRecords(n int64) bool {
	return n <= r.reserved || n <= r.records && (n <= r.small || n <= r.overReserve)
}

// checkRecords makes room for the records of a point if there is too little.
func (s *store) checkRecords(n int64, changes []change) error {
	if err := s.measureRoom(); err != nil {
		return err
	}
	if s.room.most == 0 || s.room.fitsRecords(n) { // with Options.ForgetOnly, few records come
		return nil
	}
	for i := range changes { // bytes that the point needs stay
		s.fresh[changes[i].before.digest], s.fresh[changes[i].after.digest] = true, true
	}
	if s.room.triedRecords != s.index.last() {
		s.room.triedRecords = s.index.last()
		if err := s.thinRecords(); err != nil {
			s.report(err) // there is no room then
		}
	}
	if !s.room.fitsRecords(n) {
		return &historyError{fmt.Errorf("record %d changes: %w", len(changes), errNoRoom)}
	}
	return nil
}

// mayRetry reports whether there may now be room for a file that was refused before.
func (s *store) mayRetry(e *entry) bool {
	if e.kind != file || e.why != noRoom || e.isKept() || e.size > s.room.free {
		return false
	}
	return !s.isFirstSeen(e) || s.packs.total() <= s.room.limit/2
}
