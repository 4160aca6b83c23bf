package filehistory

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"mews/protocol"
)

// fileVersion returns an entry in the words of the protocol.
func (s *store) fileVersion(p *point, e *entry) protocol.FileVersion {
	v := protocol.FileVersion{Point: p.number, Nonce: p.wireNonce(), At: p.time(), State: e.state(),
		Mode: int(e.perm()), By: p.by, Shared: p.shared}
	switch e.kind {
	case file:
		v.Size = e.size
		if !s.hasBytes(e.digest) {
			v.NotKept = e.notKept()
		}
	case special:
		v.NotKept = reasons[isSpecial]
	}
	return v
}

// notKept returns the reason why the bytes of a file are not kept.
func (e *entry) notKept() string {
	if e.digest != (digest{}) {
		return reasons[thinned]
	}
	return reasons[e.why]
}

// Versions lists versions of a file or folder, the newest first. There are at most
// protocol.MaxFileVersions; more means that there are older ones. Only points below before count; 0
// means all.
func (h *History) Versions(path string, before int64) (list []protocol.FileVersion, more bool, err error) {
	err = h.do(func(s *store) error {
		versions, err := s.versionsOf(path)
		if err != nil {
			return err
		}
		slices.Reverse(versions)
		for _, v := range versions {
			if before > 0 && v.Point >= before {
				continue
			}
			if len(list) == protocol.MaxFileVersions {
				more = true
				break
			}
			list = append(list, v)
		}
		return nil
	})
	return list, more, err
}

// versionsOf lists the versions of a path, oldest first.
func (s *store) versionsOf(path string) (list []protocol.FileVersion, err error) {
	later := map[int64]entry{}
	err = s.eachPresent(func(p *present) {
		if p.path == path {
			later[p.since] = p.entry
		}
	})
	if err != nil {
		return nil, err
	}
	if e := s.index.present[path]; e != nil {
		later[e.since] = *e
	}
	last := entry{kind: noEntryKind}
	err = s.eachChange(1, s.index.last(), func(p *point, c *change) {
		switch {
		case c.path == path:
			e := c.after
			if kept, known := later[p.number]; known && kept.hasStamp(&e) {
				e = kept
			}
			if !e.isSame(&last) {
				list = append(list, s.fileVersion(p, &e))
			}
			last = e
		case isBelow(c.path, path) && (len(list) == 0 || list[len(list)-1].Point != p.number):
			list = append(list, s.fileVersion(p, &entry{kind: directory, mode: 0o755}))
		}
	})
	return list, err
}

// FindPoint returns the last point at or before a time. If there is none, it returns
// fs.ErrNotExist.
func (h *History) FindPoint(at time.Time) (number int64, err error) {
	err = h.do(func(s *store) error {
		for _, p := range s.index.points {
			if p.at <= at.UnixNano() {
				number = p.number
			}
		}
		if number == 0 {
			return fmt.Errorf("%s: %w: %w", at.Format(time.RFC3339), errNoPoint, fs.ErrNotExist)
		}
		return nil
	})
	return number, err
}

// OpenVersion returns a path as it was at a point; 0 means the newest point. The reader is nil
// unless the path was a file whose bytes are kept. The caller closes the reader.
func (h *History) OpenVersion(path string, number int64) (v protocol.FileVersion, r io.ReadCloser, err error) {
	err = h.do(func(s *store) error {
		p, err := s.pointOrLast(number)
		if err != nil {
			return err
		}
		state, err := s.stateAt(p.number, path)
		if err != nil {
			return err
		}
		e := state[path]
		if e.kind == unknown {
			return fmt.Errorf("%s at point %d: %w: %w", path, p.number, errNoPoint, fs.ErrNotExist)
		}
		v = s.fileVersion(p, &e)
		if since := s.index.point(e.since); since != nil {
			v = s.fileVersion(since, &e)
		}
		if e.kind == file && s.hasBytes(e.digest) {
			r, _, err = h.openBytes(s, e.digest)
		}
		return err
	})
	return v, r, err
}

// openBytes returns a reader that locks the history for each chunk.
func (h *History) openBytes(s *store, d digest) (io.ReadCloser, int64, error) {
	chunks, size, err := s.chunksOf(d)
	if err != nil {
		return nil, 0, err
	}
	return newBlobReader(d, chunks, func(chunk digest) (b []byte, err error) {
		err = h.do(func(s *store) error {
			b, err = s.readChunk(chunk)
			return err
		})
		return b, err
	}), size, nil
}

// ReadKept opens kept bytes by their SHA-256 in hex, and returns their number. It returns
// fs.ErrNotExist if they are not kept. The caller closes the reader.
func (h *History) ReadKept(sha256 string) (r io.ReadCloser, size int64, err error) {
	d, ok := parseDigest(sha256)
	if !ok {
		return nil, 0, fmt.Errorf("read kept bytes: %.80q is no SHA-256", sha256)
	}
	err = h.do(func(s *store) error {
		r, size, err = h.openBytes(s, d)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read kept bytes %s: %w", sha256, err)
	}
	return r, size, nil
}
