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
	// aheadOfTail is how far an offset may be beyond the next id. An offset further ahead counts as
	// the first waiting id. (TQueue.cpp.)
	aheadOfTail = 10
	// batchBytes is the most JSON in one batch of getUpdates. (Client.cpp: JsonUpdates.)
	batchBytes = 1 << 22
)

// update is an update that waits to be confirmed.
type update struct {
	id      int64
	chat    int64 // the chat whose updates wait for one another at a webhook
	raw     []byte
	expires time.Time
	gone    bool
	fails   int           // failed deliveries to the webhook
	delay   time.Duration // wait before the webhook's next attempt, in Telegram's time
}

// queue has the unconfirmed updates, sorted by id.
type queue struct {
	tail    int64 // the id of the next update
	entries []*update
	oldest  time.Time           // no entry expires before this time
	live    int                 // number of entries that are not confirmed or expired
	expired []int64             // ids of updates that expired before anybody confirmed them
	allowed map[string]bool     // kinds of updates that are kept from now on
	list    []string            // the kinds, as the client wrote them
	notify  func(added *update) // called for each added update; nil without a webhook
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
	q.list, q.allowed = list, nil
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
	u := &update{id: q.tail, chat: cmp.Or(chat, -q.tail), expires: expires}
	u.raw = append(u.raw, `{"update_id":`...)
	u.raw = append(append(u.raw, mustMarshal(u.id)...), `,"`+kind+`":`...)
	u.raw = append(append(u.raw, body...), '}')
	q.tail++
	q.live++
	if len(q.entries) == 0 || expires.Before(q.oldest) {
		q.oldest = expires
	}
	q.entries = append(q.entries, u)
	if q.notify != nil {
		q.notify(u)
	}
	return u.id
}

// head returns the first waiting id, or the next id if none waits.
func (q *queue) head() int64 {
	q.compact()
	if len(q.entries) == 0 {
		return q.tail
	}
	return q.entries[0].id
}

// resolve returns the first id of the batch for an offset of getUpdates.
func (q *queue) resolve(offset int64) int64 {
	if offset < 0 {
		offset += q.tail
	}
	// "in the future": an error within the server, which then begins at the head
	if offset > q.tail+aheadOfTail {
		return q.head()
	}
	return max(offset, q.head())
}

// before returns the waiting ids below an id.
func (q *queue) before(id int64) []int64 {
	var ids []int64
	for _, u := range q.entries[:q.search(id)] {
		if !u.gone {
			ids = append(ids, u.id)
		}
	}
	return ids
}

// forget drops the updates below an id.
func (q *queue) forget(id int64) {
	for _, u := range q.entries[:q.search(id)] {
		q.drop(u)
	}
	q.compact()
}

func (q *queue) drop(u *update) {
	if !u.gone {
		u.gone, u.raw = true, nil
		q.live--
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

// take returns a batch of updates, beginning at an id.
func (q *queue) take(from, limit int64, now time.Time) []json.RawMessage {
	var batch []json.RawMessage
	room := batchBytes
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

// pending returns the number of waiting updates.
func (q *queue) pending(now time.Time) int {
	if now.Before(q.oldest) {
		return q.live
	}
	for _, u := range q.entries {
		q.expire(u, now)
	}
	return q.live
}

// clear drops all updates.
func (q *queue) clear() { q.forget(q.tail) }

func (q *queue) search(id int64) int {
	i, _ := slices.BinarySearchFunc(q.entries, id, func(u *update, id int64) int { return cmp.Compare(u.id, id) })
	return i
}
