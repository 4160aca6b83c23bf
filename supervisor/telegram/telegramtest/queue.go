package telegramtest

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

const (
	// keepUpdates is how long an update waits, from the date of its message. (Client.cpp:
	// left_time.)
	keepUpdates = 24 * time.Hour
	// maxAhead is how far an offset may be beyond the next id. An offset further ahead counts as
	// the first waiting id. (TQueue.cpp.)
	maxAhead = 10
	// maxBatchBytes is the most bytes of JSON in one batch of getUpdates. (Client.cpp:
	// JsonUpdates.)
	maxBatchBytes = 1 << 22
)

// update is an update that waits to be confirmed.
type update struct {
	id      int64
	chat    int64 // chat of the update; at a webhook, updates of one chat wait for one another
	raw     []byte
	expires time.Time
	gone    bool
	fails   int           // number of failed deliveries to the webhook
	delay   time.Duration // wait before the webhook's next attempt, in Telegram's time
}

// queue has the unconfirmed updates, sorted by id.
type queue struct {
	nextID      int64 // the id of the next update
	entries     []*update
	oldest      time.Time           // no entry expires before this time
	liveCount   int                 // number of entries that are not confirmed or expired
	expired     []int64             // ids of updates that expired before anybody confirmed them
	allowed     map[string]bool     // kinds of updates that are kept from now on
	allowedList []string            // the allowed kinds, as the client wrote them
	notify      func(added *update) // called for each added update; nil without a webhook
}

// allowedByDefault is nil, which means all kinds except those in mustBeNamed.
var allowedByDefault map[string]bool

// mustBeNamed are the kinds that a client gets only if allowed_updates names them.
var mustBeNamed = map[string]bool{"chat_member": true, "message_reaction": true, "message_reaction_count": true}

// allow keeps only the kinds in a list from now on. An empty list is the default; nil changes
// nothing.
func (q *queue) allow(list []string) {
	if list == nil {
		return
	}
	q.allowedList, q.allowed = list, nil
	if len(list) == 0 {
		return
	}
	q.allowed = make(map[string]bool, len(list))
	for _, kind := range list {
		q.allowed[kind] = true
	}
}

func (q *queue) allows(kind string) bool {
	if q.allowed == nil {
		return !mustBeNamed[kind]
	}
	return q.allowed[kind]
}

// add gives an update the next id and stores it.
func (q *queue) add(kind string, chat int64, body json.RawMessage, expires time.Time) int64 {
	u := &update{id: q.nextID, chat: cmp.Or(chat, -q.nextID), expires: expires}
	u.raw = append(u.raw, `{"update_id":`...)
	u.raw = append(append(u.raw, mustMarshal(u.id)...), `,"`+kind+`":`...)
	u.raw = append(append(u.raw, body...), '}')
	q.nextID++
	q.liveCount++
	if len(q.entries) == 0 || expires.Before(q.oldest) {
		q.oldest = expires
	}
	q.entries = append(q.entries, u)
	if q.notify != nil {
		q.notify(u)
	}
	return u.id
}

// firstWaiting returns the first waiting id, or the next id if none waits.
func (q *queue) firstWaiting() int64 {
	q.compact()
	if len(q.entries) == 0 {
		return q.nextID
	}
	return q.entries[0].id
}

// firstFor returns the first id of the batch for an offset of getUpdates.
func (q *queue) firstFor(offset int64) int64 {
	if offset < 0 {
		offset += q.nextID
	}
	// for an offset this far ahead, Telegram's server logs an error and begins with the first
	// update
	if offset > q.nextID+maxAhead {
		return q.firstWaiting()
	}
	return max(offset, q.firstWaiting())
}

// idsBelow returns the waiting ids below an id.
func (q *queue) idsBelow(id int64) []int64 {
	var ids []int64
	for _, u := range q.entries[:q.search(id)] {
		if !u.gone {
			ids = append(ids, u.id)
		}
	}
	return ids
}

// dropBelow drops the updates below an id.
func (q *queue) dropBelow(id int64) {
	for _, u := range q.entries[:q.search(id)] {
		q.drop(u)
	}
	q.compact()
}

func (q *queue) drop(u *update) {
	if !u.gone {
		u.gone, u.raw = true, nil
		q.liveCount--
	}
}

// compact removes dropped entries from the front.
func (q *queue) compact() {
	n := 0
	for n < len(q.entries) && q.entries[n].gone {
		q.entries[n] = nil
		n++
	}
	q.entries = q.entries[n:]
	if len(q.entries) == 0 {
		q.entries = nil
	}
}

// batchFrom returns a batch of updates, beginning at an id.
func (q *queue) batchFrom(from, limit int64, now time.Time) []json.RawMessage {
	var batch []json.RawMessage
	room := maxBatchBytes
	for _, u := range q.entries[q.search(from):] {
		if q.expire(u, now) || u.gone {
			continue
		}
		if room -= 50 + len(u.raw); room <= 0 || int64(len(batch)) == limit {
			break
		}
		batch = append(batch, u.raw)
	}
	return batch
}

// expire drops an update that is too old, and reports whether it did.
func (q *queue) expire(u *update, now time.Time) bool {
	if u.gone || now.Before(u.expires) {
		return false
	}
	q.expired = append(q.expired, u.id)
	q.drop(u)
	return true
}

// countPending returns the number of waiting updates.
func (q *queue) countPending(now time.Time) int {
	if now.Before(q.oldest) {
		return q.liveCount
	}
	for _, u := range q.entries {
		q.expire(u, now)
	}
	return q.liveCount
}

// clear drops all updates.
func (q *queue) clear() { q.dropBelow(q.nextID) }

func (q *queue) search(id int64) int {
	i, _ := slices.BinarySearchFunc(q.entries, id, func(u *update, id int64) int { return cmp.Compare(u.id, id) })
	return i
}
