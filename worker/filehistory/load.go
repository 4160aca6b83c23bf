package filehistory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// store is the content of a history folder: the packs, and the index in memory. One goroutine uses
// it at a time.
type store struct {
	folder *folder
	packs  packs
	index  *index
	keeper blobKeeper
	room   room
	now    func() time.Time
	clock  *clock // for the age of versions
	report func(error)
	// fresh are digests of bytes that no record names yet, while an operation runs
	fresh map[digest]bool
	walks uint32 // number of comparisons
	exact int64  // number of the tree that the running operation has recorded as it is; 0 means none
	// goOn returns errStopped once the running operation should end; nil means that it never should
	goOn func() error
}

// load reads the index. It rebuilds what the index file lacks from the packs.
func (s *store) load() error {
	if err := s.folder.setModes(); err != nil {
		return fmt.Errorf("open the file history: %w", err)
	}
	numbers, err := s.listPacks()
	if err != nil {
		return err
	}
	s.packs = packs{folder: s.folder, pinned: s.packs.pinned}
	x, known, ok := s.readIndex()
	if ok && !s.adopt(known, numbers) || !ok {
		x, s.packs.list = newIndex(), nil
	}
	s.index = x
	l := loader{store: s, changes: map[uint64][]change{}}
	for i, number := range numbers {
		if err := l.pack(number, i == len(numbers)-1); err != nil {
			return err
		}
	}
	slices.SortStableFunc(x.points, func(a, b point) int { return cmp.Compare(a.number, b.number) })
	return nil
}

// listPacks returns the numbers of all packs in order, and removes half-written files.
func (s *store) listPacks() (numbers []uint32, err error) {
	names, err := s.folder.names()
	if err != nil {
		return nil, fmt.Errorf("list the file history: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".tmp") {
			err = errors.Join(err, s.folder.remove(name))
			continue
		}
		digits, isPack := strings.CutSuffix(name, ".pack")
		number, bad := strconv.ParseUint(digits, 10, 32)
		if isPack && bad == nil && packName(uint32(number)) == name {
			numbers = append(numbers, uint32(number))
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// adopt takes the list of packs from an index file, if the folder still has the same packs.
func (s *store) adopt(known []*pack, numbers []uint32) bool {
	if len(known) > len(numbers) {
		return false
	}
	for i, p := range known {
		if p.number != numbers[i] {
			return false
		}
		if p.bad {
			continue
		}
		file, err := s.packs.use(p.number)
		if err != nil {
			return false
		}
		head := make([]byte, packHeader)
		info, err := file.Stat()
		if err != nil || info.Size() < p.size {
			return false
		}
		_, err = s.packs.folder.readAt(file, head, 0)
		if id, ok := parsePackHeader(head); err != nil || !ok || id != p.id {
			return false
		}
	}
	s.packs.list = known
	return true
}

// loader adds records of packs to the index.
type loader struct {
	store   *store
	changes map[uint64][]change // changes by the nonce of their point, until the point comes
}

// pack adds the records of a pack that the index lacks.
func (l *loader) pack(number uint32, isLast bool) error {
	s := l.store
	p, from := s.packs.find(number), int64(0)
	if p != nil {
		from = p.size
	}
	if p != nil && p.bad {
		return nil
	}
	b, isWhole, err := s.packs.salvagePack(number, from)
	if err != nil {
		return fmt.Errorf("read %s of the file history: %w", packName(number), err)
	}
	if p != nil && len(b) == 0 {
		return nil
	}
	s.index.changed = true
	if p == nil {
		id, ok := parsePackHeader(b)
		if !ok {
			return l.badPack(number, len(b), isLast && isWhole)
		}
		p = &pack{number: number, id: id, size: int64(packHeader)}
		s.packs.list = append(s.packs.list, p)
		b, from = b[packHeader:], int64(packHeader)
	}
	end, bad := scanRecords(b, 0, p.id, func(at int, f frame) {
		if err := l.record(p, uint32(from)+uint32(at), f); err != nil {
			s.report(fmt.Errorf("read %s of the file history at %d: %w", packName(number), from+int64(at), err))
		}
	})
	p.size = from + int64(end)
	if bad > 0 {
		s.report(fmt.Errorf("read %s of the file history: %d places are damaged", packName(number), bad))
	}
	if p.bad = !isWhole; p.bad {
		s.report(fmt.Errorf("read %s of the file history: a part can't be read: %w", packName(number), unix.EIO))
		return nil
	}
	if end < len(b) {
		return l.cut(p, len(b)-end, isLast)
	}
	return nil
}

// badPack handles a pack without a good header. If it is the last, a crash may have cut it.
func (l *loader) badPack(number uint32, length int, isLast bool) error {
	if isLast && length <= packHeader {
		l.store.packs.close()
		return l.store.folder.remove(packName(number))
	}
	l.store.packs.list = append(l.store.packs.list, &pack{number: number, size: int64(length), bad: true})
	l.store.report(fmt.Errorf("read %s of the file history: it has no header", packName(number)))
	return nil
}

// cut removes the bytes after the last good record, which a crash has left.
func (l *loader) cut(p *pack, bytes int, isLast bool) error {
	if l.store.folder.readOnly {
		return nil // another process may be writing them
	}
	if !isLast {
		l.store.report(fmt.Errorf("read %s of the file history: its last %d bytes are damaged", packName(p.number),
			bytes))
		return nil
	}
	file, err := l.store.packs.use(p.number)
	if err != nil {
		return err
	}
	return l.store.folder.truncate(file, p.size)
}

// record adds one record to the index.
func (l *loader) record(p *pack, at uint32, f frame) error {
	payload, err := f.payload()
	if err != nil {
		return err
	}
	size, number := uint32(f.size()), int64(0)
	x := l.store.index
	switch f.kind {
	case chunkRecord:
		x.blobs[digestOf(payload)] = location{pack: p.number, at: at, size: size, length: uint32(f.raw)}
		return nil
	case largeRecord:
		list, err := decodeLarge(payload)
		if err == nil {
			x.blobs[list.digest] = location{pack: p.number, at: at, size: size, isLarge: true}
		}
		return err
	case changesRecord:
		n, nonce, list, err := decodeChanges(payload)
		if err != nil {
			return err
		}
		number = n
		l.changes[nonce] = append(l.changes[nonce], list...)
	case pointRecord:
		d := decoder{b: payload}
		pt := d.point()
		if err := d.end(); err != nil {
			return err
		}
		x.points = append(x.points, pt)
		x.apply(pt.number, l.changes[pt.nonce])
		delete(l.changes, pt.nonce)
	case presentRecord:
		list, err := decodePresent(payload)
		if err != nil {
			return err
		}
		for i := range list {
			x.present[list[i].path] = &list[i].entry
		}
	case holdRecord:
		h, err := decodeHold(payload)
		if err != nil {
			return err
		}
		x.holds = append(x.holds, h)
	default:
		return errBadRecord
	}
	p.meta = append(p.meta, metaLocation{kind: f.kind, at: at, size: size, point: number})
	return nil
}
