package filehistory

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

func digestOf(b []byte) digest { return sha256.Sum256(b) }

// appendMeta writes a record that holds no bytes of files. It writes the record even if the history
// has no room.
func (s *store) appendMeta(kind recordKind, payload []byte, number int64) error {
	return s.appendFrame(newFrame(kind, payload, nil), number)
}

func (s *store) appendFrame(f frame, number int64) error {
	p, at, err := s.packs.append(f)
	if err != nil {
		return err
	}
	p.meta = append(p.meta, metaLocation{kind: f.kind, at: at, size: uint32(f.size()), point: number})
	s.index.changed = true
	return nil
}

// appendPoint adds a point with its changes. It fills in the point's number, time and nonce.
func (s *store) appendPoint(p point, changes []change) (int64, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	p.number, p.nonce = s.index.last()+1, binary.LittleEndian.Uint64(random[:])
	p.at = s.now().UnixNano()
	if last := s.index.lastTime(); last-p.at < int64(maxAhead) {
		p.at = max(p.at, last) // a clock may go back a little, but points stay in order
	}
	frames, size := changesFrames(&p, changes)
	if err := s.checkRecords(size, changes); err != nil {
		return 0, err
	}
	for _, f := range frames {
		if err := s.appendFrame(f, p.number); err != nil {
			return 0, err
		}
	}
	if err := s.appendMeta(pointRecord, appendPoint(nil, &p), p.number); err != nil {
		return 0, err
	}
	s.index.points = append(s.index.points, p)
	s.index.apply(p.number, changes)
	return p.number, nil
}

// changesFrames returns the records of a point's changes, and their size.
func changesFrames(p *point, changes []change) (frames []frame, size int64) {
	for len(changes) > 0 {
		b := appendChangesHead(nil, p.number, p.nonce)
		for len(changes) > 0 && len(b) < maxBatch {
			b = appendChange(b, &changes[0])
			changes = changes[1:]
		}
		f := newFrame(changesRecord, b, nil)
		f.stored = bytes.Clone(f.stored) // the buffer is much larger
		frames, size = append(frames, f), size+f.size()
	}
	return frames, size
}

// appendPresents writes the present entries of some paths.
func (s *store) appendPresents(paths []string) error {
	for len(paths) > 0 {
		var b []byte
		for len(paths) > 0 && len(b) < maxBatch {
			if e := s.index.present[paths[0]]; e != nil {
				b = appendPresent(b, paths[0], e)
			}
			paths = paths[1:]
		}
		if len(b) == 0 {
			return nil
		}
		if err := s.appendMeta(presentRecord, b, 0); err != nil {
			return err
		}
	}
	return nil
}

// appendHold writes a record that keeps bytes for holdTime.
func (s *store) appendHold(h hold) error {
	h.at = s.now().UnixNano()
	if err := s.appendMeta(holdRecord, appendHold(nil, &h), 0); err != nil {
		return err
	}
	s.index.holds = append(s.index.holds, h)
	return nil
}

const holdTime = 48 * time.Hour
