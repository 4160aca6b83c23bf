package telegramtest

import (
	"slices"
	"time"
)

// chatUpdates are one chat's updates for the webhook. Each update waits until the update before it
// was accepted.
type chatUpdates struct {
	chat    int64
	updates []*update
	wakeAt  time.Time // earliest time of the next attempt, by the real clock
}

// chatQueues are the queues of all chats. A queue is ready, or sleeps, or is sending its first
// update.
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

// next returns a queue that is ready to send, and marks it as neither ready nor asleep. nil means
// that none is ready.
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

// firstWake returns the time at which the first sleeping queue wakes.
func (ls *chatQueues) firstWake() (time.Time, bool) {
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

// removeFirst removes a queue's first update.
func (ls *chatQueues) removeFirst(l *chatUpdates) {
	l.updates = l.updates[1:]
	if len(l.updates) == 0 {
		delete(ls.byID, l.chat)
		return
	}
	ls.ready = append(ls.ready, l)
}

// sleep makes a queue wait until a time.
func (ls *chatQueues) sleep(l *chatUpdates, until time.Time) {
	l.wakeAt = until
	ls.sleeping = append(ls.sleeping, l)
}
