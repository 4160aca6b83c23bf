package telegramtest

import (
	"slices"
	"time"
)

// chatUpdates is one chat's updates on their way to the webhook: the next waits until the one
// before was taken.
type chatUpdates struct {
	chat    int64
	updates []*update
	wakeAt  time.Time // by the real clock; not before
}

// chatQueues are all of them. A queue is ready, or it sleeps, or its first update is on its way.
type chatQueues struct {
	byID     map[int64]*chatUpdates
	ready    []*chatUpdates
	sleeping []*chatUpdates
}

func (ls *chatQueues) add(u *update) {
	if u.gone {
		return
	}
	l := ls.byID[u.chat]
	if l == nil {
		l = &chatUpdates{chat: u.chat}
		ls.byID[u.chat] = l
		ls.ready = append(ls.ready, l)
	}
	l.updates = append(l.updates, u)
}

// next is a queue whose first update may be sent, nil for none; it is neither ready nor asleep
// then.
func (ls *chatQueues) next(now time.Time) *chatUpdates {
	ls.sleeping = slices.DeleteFunc(ls.sleeping, func(l *chatUpdates) bool {
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

// wakes is when the first of the sleeping queues wakes.
func (ls *chatQueues) wakes() (time.Time, bool) {
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

// done takes a queue's first update off it.
func (ls *chatQueues) done(l *chatUpdates) {
	l.updates = l.updates[1:]
	if len(l.updates) == 0 {
		delete(ls.byID, l.chat)
		return
	}
	ls.ready = append(ls.ready, l)
}

// sleep has a queue wait.
func (ls *chatQueues) sleep(l *chatUpdates, until time.Time) {
	l.wakeAt = until
	ls.sleeping = append(ls.sleeping, l)
}
