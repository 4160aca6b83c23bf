package filehistory

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// unused counts the bytes that a rewrite of packs would free.
type unused struct {
	packs   map[uint32]int64 // by the number of the pack
	records int64            // the part of them in records of changes, points and present entries
}

func (u *unused) total() (n int64) {
	for _, bytes := range u.packs {
		n += bytes
	}
	return n
}

// numbers lists the packs with unused bytes, those with the most first.
func (u *unused) numbers() []uint32 {
	return slices.SortedFunc(maps.Keys(u.packs), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(u.packs[b], u.packs[a]), cmp.Compare(a, b))
	})
}

// unused counts the bytes that nothing uses. A census tells which bytes of files are used, and a
// filter which records are needed.
func (s *store) unused(c *census, f filter) (*unused, error) {
	u := &unused{packs: map[uint32]int64{}}
	for d, at := range s.index.blobs {
		if c.uses[d] == 0 {
			u.packs[at.pack] += int64(at.size)
		}
	}
	now := s.clock.trusted()
	for _, pack := range s.packs.list {
		for _, m := range pack.meta {
			bytes, err := s.unusedOf(pack, m, f, now)
			if err != nil {
				return nil, err
			}
			if bytes > 0 {
				u.packs[pack.number] += bytes
				u.records += bytes
			}
		}
	}
	for _, pack := range s.packs.list {
		if pack.bad {
			delete(u.packs, pack.number) // only Forget rewrites it
		}
	}
	return u, nil
}

// unusedOf returns about how many bytes of a record a rewrite would free.
func (s *store) unusedOf(pack *pack, m metaLocation, f filter, now int64) (int64, error) {
	if m.kind != changesRecord && m.kind != pointRecord && m.kind != presentRecord {
		return 0, nil
	}
	p := s.index.point(m.point)
	switch {
	case m.kind != presentRecord && p == nil:
		return int64(m.size), nil
	case m.kind == pointRecord || m.kind == changesRecord && time.Duration(now-p.at) < keepAllFor:
		return 0, nil
	}
	payload, _, err := s.packs.read(pack.number, m.at, m.size)
	if err != nil {
		return 0, s.unlessDamaged(err)
	}
	passed, all := 0, 0
	if m.kind == changesRecord {
		_, _, list, _ := decodeChanges(payload) // a damaged record stays
		for i := range list {
			if all++; f.change(p, &list[i]) {
				passed++
			}
		}
	} else {
		list, _ := decodePresent(payload)
		for i := range list {
			if all++; f.present(&list[i]) {
				passed++
			}
		}
	}
	return int64(m.size) * int64(all-passed) / int64(max(all, 1)), nil
}
