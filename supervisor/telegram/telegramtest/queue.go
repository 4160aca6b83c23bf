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
	// aheadOfTail is how far beyond the next id an offset may be and still be taken at its word.
	// (TQueue.cpp.)
	aheadOfTail = 10
	// batchBytes is how much one getUpdates brings. (Client.cpp: JsonUpdates.)
	batchBytes = 1 << 22
)

// update is one that waits to be confirmed.
type update struct {
	id      int64
	chat    int64 // the chat whose updates wait for one another at a webhook
	raw     []byte
	expires time.Time
	gone    bool
	fails   int           // at the webhook
	delay   time.Duration // before the webhook's next attempt, as Telegram's clock has it
}

// queue holds the updates that are not confirmed, by id.
type queue struct {
	tail    int64 // the next id
	entries []*update
	oldest  time.Time           // no entry expires before
	live    int                 // entries that are not gone
	expired []int64             // ids that nobody came for in time
	allowed map[string]bool     // kinds that are kept from now on
	list    []string            // as the client wrote it
	notify  func(added *update) // nil without a webhook
}

// allowedByDefault is nil, which means all kinds except those in mustBeNamed.
var allowedByDefault map[string]bool

// mustBeNamed are the kinds that a client only gets if it names them.
var mustBeNamed = map[string]bool{"chat_member": true, "message_reaction": true, "message_reaction_count": true}

// allow keeps, from now on, the kinds of a list only. An empty list is the default; nil changes
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

// add gives an update its id.
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

// head is the first id that waits, the next one where none does.
func (q *queue) head() int64 {
	q.compact()
	if len(q.entries) == 0 {
		return q.tail
	}
	return q.entries[0].id
}

// resolve is the id that a getUpdates with this offset begins at.
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

// before lists what waits below an id.
func (q *queue) before(id int64) []int64 {
	var ids []int64
	for _, u := range q.entries[:q.search(id)] {
		if !u.gone {
			ids = append(ids, u.id)
		}
	}
	return ids
}

// forget drops what waits below an id.
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

// compact lets go of the entries at the front that are gone.
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

// take is a batch from an id on.
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

// expire drops an update that is too old.
func (q *queue) expire(u *update, now time.Time) bool {
	if u.gone || now.Before(u.expires) {
		return false
	}
	q.expired = append(q.expired, u.id)
	q.drop(u)
	return true
}

// pending counts what waits.
func (q *queue) pending(now time.Time) int {
	if now.Before(q.oldest) {
		return q.live
	}
	for _, u := range q.entries {
		q.expire(u, now)
	}
	return q.live
}

// clear drops everything.
func (q *queue) clear() { q.forget(q.tail) }

func (q *queue) search(id int64) int {
	i, _ := slices.BinarySearchFunc(q.entries, id, func(u *update, id int64) int { return cmp.Compare(u.id, id) })
	return i
}
