package telegramtest

import (
	"slices"
	"time"
)

// lane is one chat's updates on their way to the webhook: the next waits until the one before was taken.
type lane struct {
	chat    int64
	updates []*update
	wakeAt  time.Time // by the real clock; not before
}

// lanes are all of them. A lane is ready, or it sleeps, or its first update is on its way.
type lanes struct {
	byID     map[int64]*lane
	ready    []*lane
	sleeping []*lane
}

func (ls *lanes) add(u *update) {
	if u.gone {
		return
	}
	l := ls.byID[u.lane]
	if l == nil {
		l = &lane{chat: u.lane}
		ls.byID[u.lane] = l
		ls.ready = append(ls.ready, l)
	}
	l.updates = append(l.updates, u)
}

// next is a lane whose first update may be sent, nil for none; it is neither ready nor asleep then.
func (ls *lanes) next(now time.Time) *lane {
	ls.sleeping = slices.DeleteFunc(ls.sleeping, func(l *lane) bool {
		awake := !now.Before(l.wakeAt)
		if awake {
			ls.ready = append(ls.ready, l)
		}
		return awake
	})
	for len(ls.ready) > 0 {
		l := ls.ready[0]
		ls.ready = ls.ready[1:]
		for len(l.updates) > 0 && l.updates[0].gone {
			l.updates = l.updates[1:]
		}
		if len(l.updates) > 0 {
			return l
		}
		delete(ls.byID, l.chat)
	}
	return nil
}

// wakes is when the first of the sleeping lanes does.
func (ls *lanes) wakes() (time.Time, bool) {
	if len(ls.sleeping) == 0 {
		return time.Time{}, false
	}
	first := ls.sleeping[0].wakeAt
	for _, l := range ls.sleeping {
		if l.wakeAt.Before(first) {
			first = l.wakeAt
		}
	}
	return first, true
}

// done takes a lane's first update off it.
func (ls *lanes) done(l *lane) {
	l.updates = l.updates[1:]
	if len(l.updates) == 0 {
		delete(ls.byID, l.chat)
		return
	}
	ls.ready = append(ls.ready, l)
}

// sleep has a lane wait.
func (ls *lanes) sleep(l *lane, until time.Time) {
	l.wakeAt = until
	ls.sleeping = append(ls.sleeping, l)
}
