package telegramtest

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"mews/supervisor/internal/signals"
)

const (
	pollTimeout  = 50 // the longest wait of a poll, in seconds (Client.h: LONG_POLL_MAX_TIMEOUT)
	otherPoll    = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	otherHook    = "Conflict: terminated by setWebhook request"
	hookIsActive = "Conflict: can't use getUpdates method while webhook is active; " +
		"use deleteWebhook to delete the webhook first"
	// conflictPause is how long the answer to a conflict is delayed if another conflict was
	// answered within that time. (Client.cpp: fail_query_conflict.)
	conflictPause = 3 * time.Second
)

// polls is the state of getUpdates.
type polls struct {
	waiting    *poll     // the poll that waits for updates; nil if there is none
	conflictAt time.Time // time of the last answered conflict, by the real clock
}

// poll is a waiting getUpdates.
type poll struct {
	wake     chan struct{} // signals that there may be an update
	conflict chan string   // receives the text of the conflict that ends the poll
}

func newPoll() *poll { return &poll{wake: make(chan struct{}, 1), conflict: make(chan string, 1)} }

// wakeUp makes the waiting poll look for updates again.
func (p *polls) wakeUp() {
	if p.waiting != nil {
		signals.SendToken(p.waiting.wake)
	}
}

// end ends the waiting poll, if there is one, with a conflict's text.
func (p *polls) end(conflict string) {
	if p.waiting != nil {
		p.waiting.conflict <- conflict
		p.waiting = nil
	}
}

// pollRequest is one getUpdates with its results.
type pollRequest struct {
	offset, limit int64
	allowed       []string
	batch         []json.RawMessage
	from          int64
	confirmed     []int64
	hookIsSet     bool // whether a webhook is set, so that polls are refused
}

// getUpdates answers at once if there is an update, or waits for one.
func getUpdates(ctx context.Context, w *serverState, r *request) answer {
	q := &pollRequest{offset: r.params.number("offset"), limit: r.params.clampedNumber("limit", 100, 1, 100)}
	if err := r.params.decode("allowed_updates", &q.allowed); err != nil {
		return badRequest("can't parse allowed updates: %v", err)
	}
	deadline := time.NewTimer(time.Duration(r.params.clampedNumber("timeout", 0, 0, pollTimeout)) * time.Second)
	defer deadline.Stop()
	me := newPoll()
	if r.params.clampedNumber("timeout", 0, 0, pollTimeout) == 0 {
		me = nil
	}
	for {
		if w.takeBatch(q, me); q.hookIsSet {
			return w.answerConflict(ctx, hookIsActive)
		}
		if len(q.batch) > 0 || me == nil {
			return good(nonNilBatch(q.batch))
		}
		select {
		case <-me.wake:
		case text := <-me.conflict:
			return w.answerEndedPoll(ctx, text)
		case <-deadline.C:
			w.change(func() { w.polls.leave(me) })
			me = nil
		case <-ctx.Done():
			w.change(func() { w.polls.leave(me) })
			return answer{}
		}
	}
}

// takeBatch confirms the updates before the offset, and takes a batch. If there is no update, the
// poll me waits.
func (w *serverState) takeBatch(q *pollRequest, me *poll) {
	w.read(func() {
		if q.hookIsSet = w.webhook.url != ""; q.hookIsSet {
			return
		}
		if q.allowed != nil {
			w.queue.allow(q.allowed)
		}
		q.from = w.queue.firstFor(q.offset)
		q.confirmed = w.queue.idsBelow(q.from)
	})
	if q.hookIsSet {
		return
	}
	w.callBeforeConfirm(q.confirmed)
	w.change(func() {
		w.queue.dropBelow(q.from)
		if q.offset < 0 {
			q.offset = q.from
		}
		q.batch = w.queue.batchFrom(q.from, q.limit, w.now())
		w.waitOrLeave(len(q.batch) > 0, me)
	})
}

// waitOrLeave makes a poll without updates the waiting poll, and ends the poll that waited before.
// A poll with updates stops waiting. The caller runs within serverState.change.
func (w *serverState) waitOrLeave(found bool, me *poll) {
	switch {
	case me == nil:
	case found:
		w.polls.leave(me)
	case w.polls.waiting != me && len(me.conflict) == 0:
		w.polls.end(otherPoll)
		w.polls.waiting = me
	}
}

// leave removes a poll that has stopped waiting.
func (p *polls) leave(me *poll) {
	if p.waiting == me {
		p.waiting = nil
	}
}

// answerEndedPoll answers a poll that another poll has ended. It first waits a moment, because the
// server may not have noticed yet that the client has gone. A client that is still there ran two
// polls at once, which is a violation.
func (w *serverState) answerEndedPoll(ctx context.Context, text string) answer {
	if text == otherPoll {
		if !sleep(ctx, arrivalGrace) {
			return answer{}
		}
		w.change(func() { w.log.violate("two getUpdates at once, by different connections") })
	}
	return w.answerConflict(ctx, text)
}

// callBeforeConfirm calls Options.BeforeConfirm with updates that are about to be confirmed.
func (w *serverState) callBeforeConfirm(ids []int64) {
	if w.options.BeforeConfirm != nil && len(ids) > 0 {
		w.options.BeforeConfirm(ids)
	}
}

// answerConflict answers a conflict: at once, or later if another conflict was answered a moment
// ago.
func (w *serverState) answerConflict(ctx context.Context, text string) answer {
	var pause time.Duration
	w.change(func() {
		if now := time.Now(); now.Sub(w.polls.conflictAt) >= w.scaled(conflictPause) {
			w.polls.conflictAt = now
		} else {
			pause = w.scaled(conflictPause)
		}
	})
	if pause > 0 && !sleep(ctx, pause) {
		return answer{}
	}
	return refuse(http.StatusConflict, "%s", text)
}

// sleep waits, and reports whether it waited to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// nonNilBatch returns the updates as a list that is never nil, so that an empty list is [] in JSON.
func nonNilBatch(updates []json.RawMessage) []json.RawMessage {
	if updates == nil {
		return []json.RawMessage{}
	}
	return updates
}
