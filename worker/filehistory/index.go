package filehistory

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	indexName      = "index"
	indexTemporary = "index.tmp"
	indexMagic     = "MEWSINDX\x02"
)

// index is the content of the packs in memory, without bytes of files and without changes.
type index struct {
	points  []point // in the order of their numbers
	present map[string]*entry
	blobs   map[digest]location
	holds   []hold
	changed bool // since the index file was written
}

func newIndex() *index {
	return &index{present: map[string]*entry{}, blobs: map[digest]location{}}
}

// last returns the number of the newest point; 0 means that there is none.
func (x *index) last() int64 {
	if len(x.points) == 0 {
		return 0
	}
	return x.points[len(x.points)-1].number
}

// lastTime returns the time of the newest point in ns; 0 means that there is none.
func (x *index) lastTime() int64 {
	if len(x.points) == 0 {
		return 0
	}
	return x.points[len(x.points)-1].at
}

// point returns a point by its number; nil means that it is unknown.
func (x *index) point(number int64) *point {
	at, found := slices.BinarySearchFunc(x.points, number, func(p point, n int64) int { return int(p.number - n) })
	if !found {
		return nil
	}
	return &x.points[at]
}

// apply applies the changes of a point to the present entries.
func (x *index) apply(number int64, changes []change) {
	for i := range changes {
		c := &changes[i]
		if c.after.kind == absent || c.after.kind == unknown {
			delete(x.present, c.path)
			continue
		}
		e := c.after
		e.since = number
		x.present[c.path] = &e
	}
}

func appendBool(b []byte, yes bool) []byte {
	if yes {
		return append(b, 1)
	}
	return append(b, 0)
}

// encode returns the content of the index file.
func (x *index) encode(list []*pack) []byte {
	b := make([]byte, 0, 1<<16+len(x.blobs)*60+len(x.present)*140)
	b = append(b, indexMagic...)
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, p := range list {
		b = binary.AppendUvarint(b, uint64(p.number))
		b = append(b, p.id[:]...)
		b = binary.AppendUvarint(b, uint64(p.size))
		b = appendBool(b, p.bad)
		b = binary.AppendUvarint(b, uint64(len(p.meta)))
		for _, m := range p.meta {
			b = append(b, byte(m.kind))
			b = binary.AppendUvarint(b, uint64(m.at))
			b = binary.AppendUvarint(b, uint64(m.size))
			b = binary.AppendUvarint(b, uint64(m.point))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(x.points)))
	for i := range x.points {
		b = appendPoint(b, &x.points[i])
	}
	b = binary.AppendUvarint(b, uint64(len(x.blobs)))
	for d, at := range x.blobs {
		b = append(b, d[:]...)
		b = appendBool(b, at.isLarge)
		for _, n := range []uint32{at.pack, at.at, at.size, at.length} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(x.present)))
	for path, e := range x.present {
		b = appendPresent(b, path, e)
	}
	b = binary.AppendUvarint(b, uint64(len(x.holds)))
	for i := range x.holds {
		b = appendHold(b, &x.holds[i])
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeIndex reads an index file.
func decodeIndex(b []byte) (*index, []*pack, bool) {
	rest, ok := strings.CutPrefix(string(b[:min(len(b), len(indexMagic))]), indexMagic)
	if !ok || rest != "" || len(b) < len(indexMagic)+4 {
		return nil, nil, false
	}
	body := b[:len(b)-4]
	if binary.LittleEndian.Uint32(b[len(body):]) != crc32.Checksum(body, castagnoli) {
		return nil, nil, false
	}
	d, x, list := decoder{b: body[len(indexMagic):]}, newIndex(), []*pack(nil)
	for range d.count() {
		p := &pack{number: uint32(d.size()), id: packID(d.fixed(len(packID{}))), size: d.size(), bad: d.byte() == 1}
		for range d.count() {
			p.meta = append(p.meta, metaLocation{kind: recordKind(d.byte()), at: uint32(d.size()),
				size:  uint32(d.size()),
				point: d.size()})
		}
		list = append(list, p)
	}
	for range d.count() {
		x.points = append(x.points, d.point())
	}
	n := d.count()
	x.blobs = make(map[digest]location, n)
	for range n {
		key := digest(d.fixed(len(digest{})))
		isLarge := d.byte() == 1
		x.blobs[key] = location{pack: uint32(d.size()), at: uint32(d.size()), size: uint32(d.size()),
			length:  uint32(d.size()),
			isLarge: isLarge}
	}
	n = d.count()
	x.present = make(map[string]*entry, n)
	all := make([]entry, n) // one allocation
	for i := range n {
		p := d.present()
		all[i] = p.entry
		x.present[p.path] = &all[i]
	}
	for range d.count() {
		x.holds = append(x.holds, d.hold())
	}
	return x, list, d.end() == nil
}

// save writes the index file. The file itself needs no sync: a bad index is rebuilt.
func (s *store) save() error {
	if !s.index.changed {
		return nil
	}
	if err := s.packs.sync(); err != nil { // the index may only name bytes that are durable
		return err
	}
	f, err := s.folder.open(indexTemporary, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.folder.write(f, s.index.encode(s.packs.list), 0); err != nil {
		return err
	}
	if err := s.folder.rename(indexTemporary, indexName); err != nil {
		return err
	}
	s.index.changed = false
	return nil
}

func (s *store) readIndex() (*index, []*pack, bool) {
	f, err := s.folder.open(indexName, unix.O_RDONLY)
	if err != nil {
		return nil, nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, false
	}
	return decodeIndex(b)
}
