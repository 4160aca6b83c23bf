package filehistory

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"
)

// census counts which kept bytes are used.
type census struct {
	store *store
	err   error          // error that leaves the counts incomplete
	uses  map[digest]int // uses of files and of chunks
	live  int64          // bytes of used chunks on the disk
	bare  bool           // records of folders, links and empty files go after 48 hours too
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

func (s *store) isHeld(h *hold) bool { return time.Duration(s.clock.trusted()-h.at) < holdTime }

// makeRoom deletes versions until a number of bytes can be added. It first deletes those that are
// too old, then those of the files with the most versions and bytes.
func (s *store) makeRoom(n int64) error {
	now := s.clock.trusted()
	all, err := s.versions()
	if err != nil {
		return err
	}
	c := s.count(all, func(v *version) bool { return v.shouldKeep(now) })
	f, err := s.thinning(c)
	if err != nil {
		return err
	}
	unused, err := s.unused(c, f)
	if err != nil {
		return err
	}
	share := max(s.room.limit/recordsShare, s.packs.records())
	goal := s.room.limit - n - min(2*packSize, s.room.limit/8) - share // for bytes of files
	if c.live > goal+unused.records {
		s.dropSpare(c, all, now, goal+unused.records)
	}
	if err := s.compact(c, f, s.packs.total()-goal-s.packs.records()); err != nil {
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
		newest := versions.newestEnded()
		for i := range versions {
			v := &versions[i]
			recent := time.Duration(now-v.until) < keepAllFor
			if v.shouldKeep(now) && v.isSpare(now) && !(recent && i == newest) {
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
func (s *store) compact(c *census, f filter, wanted int64) error {
	unused, err := s.unused(c, f)
	if err := errors.Join(err, c.err); err != nil {
		return err // with incomplete counts, used bytes would be deleted
	}
	for _, number := range unused.numbers() {
		if wanted <= 0 {
			return nil
		}
		wanted -= unused.packs[number]
		if err := s.rewrite(number, f); err != nil {
			return err
		}
	}
	return nil
}

// Thin deletes all versions that were replaced over 48 hours ago. That frees room on the disk. Other
// operations take turns with it, and the end of ctx stops it.
func (h *History) Thin(ctx context.Context) error {
	for {
		err := h.doFor(ctx, func(s *store) error {
			packs := 0
			s.goOn = func() error {
				if packs++; ctx.Err() != nil || packs > 1 && h.mu.hasWaiters() {
					return errStopped
				}
				return nil
			}
			defer func() { s.goOn = nil }()
			now := s.clock.trusted()
			return s.thinTo(func(v *version) bool {
				return v.isPresent() || time.Duration(now-v.until) < keepAllFor
			})
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !errors.Is(err, errStopped) {
			return err
		}
	}
}

// thinRecords makes room for records of changes. It deletes versions that were replaced over 48
// hours ago, and the records that only they need. The last versions of deleted files stay for a
// year.
func (s *store) thinRecords() error {
	now := s.clock.trusted()
	return s.thinTo(func(v *version) bool {
		return v.isPresent() || time.Duration(now-v.until) < keepAllFor || v.isLast && v.shouldKeep(now)
	})
}

// thinTo deletes the versions that do not pass, and the records that only they need.
func (s *store) thinTo(passes func(v *version) bool) error {
	all, err := s.versions()
	if err != nil {
		return err
	}
	c := s.count(all, passes)
	c.bare = true
	f, err := s.thinning(c)
	if err == nil {
		err = s.compact(c, f, s.packs.total())
	}
	return errors.Join(err, s.measureRoom())
}

// tidy deletes versions that are too old, if that frees much. It rewrites at most one pack, and
// returns whether there is more to do.
func (s *store) tidy() (more bool, err error) {
	now := s.clock.trusted()
	s.prune(now)
	all, err := s.versions()
	if err != nil {
		return false, err
	}
	c := s.count(all, func(v *version) bool { return v.shouldKeep(now) })
	f, err := s.thinning(c)
	if err != nil {
		return false, err
	}
	unused, err := s.unused(c, f)
	if err := errors.Join(err, c.err); err != nil {
		return false, err
	}
	numbers := unused.numbers()
	if unused.total() < packSize || unused.packs[numbers[0]] <= packSize/4 {
		return false, nil
	}
	return true, s.rewrite(numbers[0], f)
}

// prune removes holds that have ended, and points without changes after a year. Their records are
// unused then.
func (s *store) prune(now int64) {
	held, points := len(s.index.holds), len(s.index.points)
	s.index.holds = slices.DeleteFunc(s.index.holds, func(h hold) bool { return !s.isHeld(&h) })
	used := map[int64]bool{s.index.last(): true}
	for _, pack := range s.packs.list {
		for _, m := range pack.meta {
			used[m.point] = used[m.point] || m.kind == changesRecord
		}
	}
	s.index.points = slices.DeleteFunc(s.index.points, func(p point) bool {
		return !used[p.number] && time.Duration(now-p.at) >= keepWeeklyFor
	})
	s.index.changed = s.index.changed || len(s.index.holds) < held || len(s.index.points) < points
}

// oldest returns the time of the oldest point that still has changes.
func (s *store) oldest() (at time.Time) {
	first := int64(math.MaxInt64)
	for _, pack := range s.packs.list {
		for _, m := range pack.meta {
			if m.kind == changesRecord {
				first = min(first, m.point)
			}
		}
	}
	if p := s.index.point(first); p != nil {
		at = p.time()
	}
	return at
}
