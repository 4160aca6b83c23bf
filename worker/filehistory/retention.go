package filehistory

import (
	"errors"
	"math"
	"time"

	"mews/protocol"
)

// Times for which versions are kept, as room allows.
const (
	keepAllFor    = 48 * time.Hour       // all versions
	keepUndoFor   = 7 * 24 * time.Hour   // versions that an undo may need
	keepDailyFor  = 30 * 24 * time.Hour  // the last version of each day
	keepWeeklyFor = 365 * 24 * time.Hour // the last version of each week
)

// never is the end of a version that is still present.
const never = math.MaxInt64

// version is the content of a file for some time.
type version struct {
	digest      digest
	since       int64 // number of the point that made it; 0 means unknown
	from, until int64 // times in ns
	isLast      bool  // nothing followed: the file is still there, or was deleted
	byProgram   bool  // a program made it
	undoable    bool  // Mews replaced it: a tool, a program, an undo or a restore
}

func (v *version) isPresent() bool { return v.until == never }

// shouldKeep reports whether the version should be kept at a time, if there is room.
func (v *version) shouldKeep(now int64) bool {
	switch age := time.Duration(now - v.until); {
	case v.isPresent() || age < keepAllFor || v.undoable && age < keepUndoFor:
		return true
	case age < keepDailyFor:
		return v.isLast || crosses(v.from, v.until, 24*time.Hour)
	case age < keepWeeklyFor:
		return v.isLast || crosses(v.from, v.until, 7*24*time.Hour)
	}
	return false
}

// crosses reports whether a boundary between two periods is in a span of time.
func crosses(from, until int64, period time.Duration) bool {
	return from/int64(period) != until/int64(period)
}

// isSpare reports whether the version may make room for others. A version of the last 48 hours is
// spare only if a program made it and it existed for less than an hour. So no program can push out
// versions by tools or people.
func (v *version) isSpare(now int64) bool {
	switch {
	case v.isPresent() || v.isLast:
		return false
	case time.Duration(now-v.until) < keepAllFor:
		return v.byProgram && !crosses(v.from, v.until, time.Hour)
	}
	return true
}

// versionList has the versions of one path, oldest first.
type versionList []version

// add ends the version before a change of the path, and adds the version after it.
func (l *versionList) add(p *point, c *change) {
	n, undoable := len(*l), p.by.Kind != protocol.HistoryAuthorOther
	if n > 0 && (*l)[n-1].isPresent() {
		open := &(*l)[n-1]
		open.until, open.isLast, open.undoable = p.at, c.after.kind == absent, undoable
		if c.before.digest != (digest{}) {
			open.digest = c.before.digest // the bytes may have been kept after their point
		}
	} else if c.before.kind == file && c.before.digest != (digest{}) {
		*l = append(*l, version{digest: c.before.digest, until: p.at, isLast: c.after.kind == absent,
			undoable: undoable})
	}
	if c.after.kind == file {
		from := p.at
		if c.before.kind == unknown {
			from = 0 // it is older than the history
		}
		*l = append(*l, version{digest: c.after.digest, since: p.number, from: from, until: never, isLast: true,
			byProgram: p.by.Kind == protocol.HistoryAuthorProgram})
	}
}

// versions returns the versions of all files.
func (s *store) versions() (map[string]versionList, error) {
	all := map[string]versionList{}
	err := s.eachChange(1, s.index.last(), func(p *point, c *change) {
		l := all[c.path]
		l.add(p, c)
		all[c.path] = l
	})
	return all, errors.Join(err, s.eachPresent(func(p *present) {
		for i, v := range all[p.path] {
			if v.since == p.since && v.digest == (digest{}) {
				all[p.path][i].digest = p.digest
			}
		}
	}))
}

// newestEnded returns the index of the newest version that has ended; -1 means none.
func (l versionList) newestEnded() int {
	for i := len(l) - 1; i >= 0; i-- {
		if !l[i].isPresent() {
			return i
		}
	}
	return -1
}
