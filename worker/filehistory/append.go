package filehistory

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

func digestOf(b []byte) digest { return sha256.Sum256(b) }

// appendMeta writes a record that holds no bytes of files. It writes the record even if the history
// has no room.
func (s *store) appendMeta(kind recordKind, payload []byte, number int64) error {
	f := newFrame(kind, payload, nil)
	p, at, err := s.packs.append(f)
	if err != nil {
		return err
	}
	p.meta = append(p.meta, metaLocation{kind: kind, at: at, size: uint32(f.size()), point: number})
	s.index.changed = true
	return nil
}

// appendPoint adds a point with its changes. It fills in the point's number, time and nonce.
func (s *store) appendPoint(p point, changes []change) (int64, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	p.number, p.nonce = s.index.last()+1, binary.LittleEndian.Uint64(random[:])
	p.at = s.now().UnixNano()
	if n := len(s.index.points); n > 0 {
		p.at = max(p.at, s.index.points[n-1].at) // a clock may go back, but points stay in order
	}
	for rest := changes; len(rest) > 0; {
		b := appendChangesHead(nil, p.number, p.nonce)
		for len(rest) > 0 && len(b) < maxBatch {
			b = appendChange(b, &rest[0])
			rest = rest[1:]
		}
		if err := s.appendMeta(changesRecord, b, p.number); err != nil {
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
