package filehistory

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// filter decides what stays when packs are rewritten.
type filter struct {
	blob    func(d digest) bool // also for chunks
	change  func(p *point, c *change) bool
	present func(p *present) bool
	hold    func(h *hold) bool
	// skipsWhole leaves packs alone in which everything passes
	skipsWhole bool
}

// thinning returns a filter that keeps the bytes that a census has counted.
func (s *store) thinning(c *census) (filter, error) {
	now := s.clock.trusted()
	type key struct {
		path  string
		since int64
	}
	later := map[key]digest{} // digests of bytes that were kept after the point of their version
	err := s.eachPresent(func(p *present) { later[key{p.path, p.since}] = p.digest })
	all, unread := s.spansOfPaths()
	isUsed := func(e *entry) bool {
		if c.bare && (e.kind == link || e.size == 0) {
			return false
		}
		return e.kind == directory || e.kind == link || c.uses[e.digest] > 0
	}
	isNeeded := func(p *point, ch *change) bool {
		known := s.index.present[ch.path]
		return isUsed(&ch.before) || isUsed(&ch.after) || known != nil && known.since == p.number ||
			c.uses[later[key{ch.path, p.number}]] > 0
	}
	return filter{
		blob: func(d digest) bool { return c.uses[d] > 0 },
		change: func(p *point, ch *change) bool {
			isDeletion, of := ch.after.kind == absent, all[ch.path]
			switch age := time.Duration(now - p.at); {
			case age < keepAllFor:
				return true
			case age < keepWeeklyFor:
				return isNeeded(p, ch) || isDeletion && of.first != of.last
			}
			return isDeletion && of.first != p.number // without it, a rebuild would find the path again
		},
		present: func(p *present) bool {
			known := s.index.present[p.path]
			return known != nil && known.since == p.since || isUsed(&p.entry)
		},
		hold: s.isHeld,
	}, errors.Join(err, unread)
}

// pathSpan has the first and the last point with a change of a path.
type pathSpan struct{ first, last int64 }

func (s *store) spansOfPaths() (map[string]pathSpan, error) {
	all := map[string]pathSpan{}
	err := s.eachChange(1, s.index.last(), func(p *point, c *change) {
		of := all[c.path]
		if of.first == 0 {
			of.first = p.number
		}
		of.last = p.number
		all[c.path] = of
	})
	return all, err
}

// rewriter copies a pack.
type rewriter struct {
	store    *store
	filter   filter
	pack     *pack // the new pack
	content  []byte
	blobs    map[digest]location
	restated []string // paths whose present entry has lost its record
	dropped  int64    // changes that were dropped
	lost     bool     // something of the old pack is not in the new one
}

// rewrite replaces a pack by one without the records that do not pass. A crash leaves the old or
// the new pack. It returns errStopped if the running operation should end.
func (s *store) rewrite(number uint32, f filter) error {
	if s.goOn != nil {
		if err := s.goOn(); err != nil {
			return err
		}
	}
	_, err := s.rewritePack(number, f)
	if errors.Is(err, unix.EIO) {
		s.packs.find(number).bad = true // its records stay, so that other packs can be rewritten
		s.index.changed = true
		s.report(fmt.Errorf("rewrite %s of the file history: %w", packName(number), err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("rewrite %s of the file history: %w", packName(number), err)
	}
	return nil
}

func (s *store) rewritePack(number uint32, f filter) (dropped int64, err error) {
	old := s.packs.find(number)
	if old.unsynced { // the new pack must not be older than what was written since
		if err := s.packs.sync(); err != nil {
			return 0, err
		}
	}
	b, err := s.packs.readPack(number, 0)
	if f.skipsWhole && errors.Is(err, unix.EIO) {
		b, _, err = s.packs.salvagePack(number, 0)
	}
	if err != nil {
		return 0, err
	}
	r := &rewriter{store: s, filter: f, blobs: map[digest]location{}, pack: &pack{number: number, id: newPackID()}}
	r.content = append(append(make([]byte, 0, len(b)), packMagic...), r.pack.id[:]...)
	end, bad := scanRecords(b[:min(int64(len(b)), old.size)], packHeader, old.id, func(_ int, rec frame) {
		if err := r.record(rec); err != nil {
			s.report(err) // a damaged record is lost
			r.lost = true
		}
	})
	if r.lost = r.lost || bad > 0 || end < len(b); f.skipsWhole && !r.lost {
		return 0, nil
	}
	r.restate()
	r.pack.size = int64(len(r.content))
	if err := s.replace(r); err != nil {
		return 0, err
	}
	return r.dropped, nil
}

// record copies one record, or the part of it that passes.
func (r *rewriter) record(f frame) error {
	payload, err := f.payload()
	if err != nil {
		return err
	}
	switch f.kind {
	case chunkRecord:
		if d := digestOf(payload); r.passes(r.filter.blob(d)) {
			r.blob(d, f)
		}
	case largeRecord:
		l, err := decodeLarge(payload)
		if err != nil {
			return err
		}
		if r.passes(r.filter.blob(l.digest)) {
			r.blob(l.digest, f)
		}
	case changesRecord:
		return r.changes(payload)
	case presentRecord:
		return r.presents(payload)
	case holdRecord:
		h, err := decodeHold(payload)
		if err == nil && r.passes(r.filter.hold(&h)) {
			r.meta(f, 0)
		}
		return err
	case pointRecord:
		d := decoder{b: payload}
		p := d.point()
		if known := r.store.index.point(p.number); r.passes(known != nil && known.nonce == p.nonce) {
			b := appendPoint(nil, known)
			r.passes(bytes.Equal(b, payload))
			r.meta(newFrame(pointRecord, b, nil), p.number)
		}
		return d.end()
	}
	return nil
}

// passes returns yes. If yes is false, it also notes that something of the old pack is lost.
func (r *rewriter) passes(yes bool) bool {
	r.lost = r.lost || !yes
	return yes
}

func (r *rewriter) blob(d digest, f frame) {
	r.blobs[d] = location{pack: r.pack.number, at: uint32(len(r.content)), size: uint32(f.size()),
		length: uint32(f.raw), isLarge: f.kind == largeRecord}
	r.content = f.appendTo(r.content, r.pack.id)
}

func (r *rewriter) meta(f frame, number int64) {
	r.pack.meta = append(r.pack.meta, metaLocation{kind: f.kind, at: uint32(len(r.content)), size: uint32(f.size()),
		point: number})
	r.content = f.appendTo(r.content, r.pack.id)
}

func (r *rewriter) changes(payload []byte) error {
	number, nonce, list, err := decodeChanges(payload)
	p := r.store.index.point(number)
	if err != nil || !r.passes(p != nil && p.nonce == nonce) {
		return err
	}
	b, some := appendChangesHead(nil, number, nonce), false
	for i := range list {
		c := &list[i]
		if r.passes(r.filter.change(p, c)) {
			b, some = appendChange(b, c), true
			continue
		}
		r.dropped++
		if e := r.store.index.present[c.path]; e != nil && e.since == number {
			r.restated = append(r.restated, c.path)
		}
	}
	if some {
		r.meta(newFrame(changesRecord, b, nil), number)
	}
	return nil
}

func (r *rewriter) presents(payload []byte) error {
	list, err := decodePresent(payload)
	var b []byte
	for i := range list {
		if r.passes(r.filter.present(&list[i])) {
			b = appendPresent(b, list[i].path, &list[i].entry)
		}
	}
	if len(b) > 0 {
		r.meta(newFrame(presentRecord, b, nil), 0)
	}
	return err
}

// restate writes the present entries of paths whose last change was dropped.
func (r *rewriter) restate() {
	slices.SortFunc(r.restated, strings.Compare)
	for len(r.restated) > 0 {
		var b []byte
		for len(r.restated) > 0 && len(b) < maxBatch {
			path := r.restated[0]
			b = appendPresent(b, path, r.store.index.present[path])
			r.restated = r.restated[1:]
		}
		r.meta(newFrame(presentRecord, b, nil), 0)
	}
}

// replace puts the new pack into the place of the old one.
func (s *store) replace(r *rewriter) error {
	name, temporary := packName(r.pack.number), fmt.Sprintf("%06d.tmp", r.pack.number)
	s.packs.close()
	to, err := s.folder.open(temporary, unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return err
	}
	err = s.folder.write(to, r.content, 0)
	if err == nil {
		err = s.folder.syncFile(to)
	}
	err = errors.Join(err, to.Close())
	if err == nil {
		err = s.folder.rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, s.folder.remove(temporary))
	}
	for d, at := range s.index.blobs {
		if at.pack == r.pack.number {
			delete(s.index.blobs, d)
		}
	}
	for d, at := range r.blobs {
		s.index.blobs[d] = at
	}
	i := slices.IndexFunc(s.packs.list, func(p *pack) bool { return p.number == r.pack.number })
	s.packs.list[i] = r.pack
	s.index.changed = true
	// the last pack stays, so that its number is not used again
	if r.pack.size == int64(packHeader) && i < len(s.packs.list)-1 {
		s.packs.list = slices.Delete(s.packs.list, i, i+1)
		err = s.folder.remove(name)
	}
	return errors.Join(err, s.folder.sync())
}
