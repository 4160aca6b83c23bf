package filehistory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// census counts which kept bytes are used.
type census struct {
	store *store
	err   error          // error that leaves the counts incomplete
	uses  map[digest]int // uses of files and of chunks
	live  int64          // bytes of used chunks on the disk
}

// use counts a use of a file's bytes.
func (c *census) use(d digest) {
	at, kept := c.store.index.blobs[d]
	if !kept {
		return
	}
	c.uses[d]++
	if c.uses[d] > 1 {
		return
	}
	c.live += int64(at.size)
	if at.isLarge {
		chunks, _, err := c.store.chunksOf(d)
		if err != nil {
			c.err = errors.Join(c.err, c.store.unlessDamaged(err))
		}
		for _, chunk := range chunks {
			c.use(chunk)
		}
	}
}

// drop takes back a use. It returns the bytes that nothing uses then.
func (c *census) drop(d digest) (freed int64) {
	at, kept := c.store.index.blobs[d]
	if !kept || c.uses[d] == 0 {
		return 0
	}
	c.uses[d]--
	if c.uses[d] > 0 {
		return 0
	}
	c.live -= int64(at.size)
	freed = int64(at.size)
	if at.isLarge {
		chunks, _, err := c.store.chunksOf(d)
		if err != nil {
			c.err = errors.Join(c.err, c.store.unlessDamaged(err))
		}
		for _, chunk := range chunks {
			freed += c.drop(chunk)
		}
	}
	return freed
}

// count counts the uses of all versions that pass, of holds and of the present files.
func (s *store) count(all map[string]versionList, passes func(v *version) bool) *census {
	c := &census{store: s, uses: map[digest]int{}}
	for _, list := range all {
		for i := range list {
			if passes(&list[i]) {
				c.use(list[i].digest)
			}
		}
	}
	for _, e := range s.index.present {
		c.use(e.digest)
	}
	for i := range s.index.holds {
		if s.isHeld(&s.index.holds[i]) {
			c.use(s.index.holds[i].digest)
		}
	}
	for d := range s.fresh {
		c.use(d)
	}
	return c
}

func (s *store) isHeld(h *hold) bool { return time.Duration(s.now().UnixNano()-h.at) < holdTime }

// makeRoom deletes versions until a number of bytes can be added. It first deletes those that are
// too old, then those of the files with the most versions and bytes.
func (s *store) makeRoom(n int64) error {
	if s.room.tried == s.index.last() {
		return nil
	}
	s.room.tried = s.index.last()
	now := s.now().UnixNano()
	all, err := s.versions()
	if err != nil {
		return err
	}
	c := s.count(all, func(v *version) bool { return v.isWanted(now) })
	goal := s.room.limit - n - min(2*packSize, s.room.limit/8)
	if c.live > goal {
		s.dropSpare(c, all, now, goal)
	}
	if err := s.compact(c, s.packs.total()-goal); err != nil {
		return err
	}
	return s.measureRoom()
}

// dropSpare drops spare versions until the used bytes are at most a goal.
func (s *store) dropSpare(c *census, all map[string]versionList, now, goal int64) {
	type spare struct {
		digest   digest
		versions int   // versions of the file
		bytes    int64 // bytes of the file's versions
		recent   bool
		until    int64
	}
	var list []spare
	for _, versions := range all {
		bytes := int64(0)
		for _, v := range versions {
			bytes += int64(s.index.blobs[v.digest].length)
		}
		newest := versions.newestBeforeChange()
		for i := range versions {
			v := &versions[i]
			recent := time.Duration(now-v.until) < keepAllFor
			if v.isWanted(now) && v.isSpare(now) && !(recent && i == newest) {
				list = append(list, spare{v.digest, len(versions), bytes, recent, v.until})
			}
		}
	}
	slices.SortFunc(list, func(a, b spare) int {
		if a.recent != b.recent {
			return map[bool]int{true: 1, false: -1}[a.recent]
		}
		return cmp.Or(cmp.Compare(b.versions, a.versions), cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.until, b.until))
	})
	for _, v := range list {
		if c.live <= goal {
			return
		}
		c.drop(v.digest)
	}
}

// compact rewrites packs with unused bytes until it has freed the wanted number of bytes.
func (s *store) compact(c *census, wanted int64) error {
	f, err := s.thinning(c)
	if err := errors.Join(err, c.err); err != nil {
		return err // with incomplete counts, used bytes would be deleted
	}
	unused := map[uint32]int64{}
	for d, at := range s.index.blobs {
		if c.uses[d] == 0 {
			unused[at.pack] += int64(at.size)
		}
	}
	numbers := make([]uint32, 0, len(unused))
	for number := range unused {
		numbers = append(numbers, number)
	}
	slices.SortFunc(numbers, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(unused[b], unused[a]), cmp.Compare(a, b))
	})
	for _, number := range numbers {
		if wanted <= 0 {
			return nil
		}
		wanted -= unused[number]
		if err := s.rewrite(number, f); err != nil {
			return err
		}
	}
	return nil
}

// Thin deletes all versions that were replaced over 48 hours ago. That frees room on the disk.
func (h *History) Thin(ctx context.Context) error {
	return h.do(func(s *store) error {
		now := s.now().UnixNano()
		all, err := s.versions()
		if err != nil {
			return err
		}
		c := s.count(all, func(v *version) bool {
			return v.isPresent() || time.Duration(now-v.until) < keepAllFor
		})
		if err := s.compact(c, s.packs.total()); err != nil {
			return err
		}
		return s.measureRoom()
	})
}

// tidy deletes versions that are too old, if that frees much. It rewrites at most one pack, and
// returns whether there is more to do.
func (s *store) tidy() (more bool, err error) {
	now := s.now().UnixNano()
	all, err := s.versions()
	if err != nil {
		return false, err
	}
	c := s.count(all, func(v *version) bool { return v.isWanted(now) })
	if s.packs.total()-c.live < packSize {
		return false, nil
	}
	unused := map[uint32]int64{}
	for d, at := range s.index.blobs {
		if c.uses[d] == 0 {
			unused[at.pack] += int64(at.size)
		}
	}
	f, err := s.thinning(c)
	if err := errors.Join(err, c.err); err != nil {
		return false, err
	}
	for number, bytes := range unused {
		if bytes > packSize/4 {
			return true, s.rewrite(number, f)
		}
	}
	return false, nil
}
