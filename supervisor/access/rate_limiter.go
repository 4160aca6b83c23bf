package access

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rateLimiter limits how fast each user may send: a burst, and then a number of messages a second.
// Texts beyond the limit may wait. Texts have their own bucket, so that many texts block no command
// or press. The zero value is ready to use, and its methods may be called from any goroutine. It
// remembers every name, so do not ask it about unknown people.
type rateLimiter struct {
	mu      sync.Mutex // guards the fields below
	buckets map[bucketKey]*bucket
}

// bucketKey identifies a bucket: a user's texts, or a user's commands and presses.
type bucketKey struct {
	user  string
	texts bool
}

// bucket is one of the two buckets of a user.
type bucket struct {
	limiter        *rate.Limiter
	last           time.Time    // the time of the last use
	refusalSent    bool         // a refusal was sent since the last accepted message
	refusedMessage messageKey   // the message that was last refused with a reply
	recent         []messageKey // the last accepted messages; a ring buffer once it has maxRecent messages
	next           int          // the index in recent of the oldest message, once recent is full

	replies    *rate.Limiter // limits the replies to refused texts that could have waited
	replied    []messageKey  // the last refused texts that got a reply, at most maxReplies
	unanswered int           // the number of refused texts without a reply since the last reply
}

// Limits of the replies to a flood of texts. The first maxReplies refused texts in a row each get a
// reply. After that at most one reply is sent in each replyEvery, and counts the unanswered texts.
const (
	maxReplies = 20
	replyEvery = 10 * time.Second
)

// maxRecent is the number of a user's messages that are recognized if they are repeated. Telegram
// may repeat a batch of 100 (Bot API, getUpdates).
const maxRecent = 256

// messageKey identifies a message of a user, to recognize its repetition. A message with an empty
// key is never recognized.
type messageKey struct{ source, key string }

// rateResult is the rate limiter's decision on one message.
type rateResult int

const (
	rateTaken          rateResult = iota
	rateRefused                   // the user gets a refusal
	rateRefusedLast               // the user gets a refusal; the next refused texts get none for a while
	rateRefusedQuietly            // refused without a reply: one was sent since the last accepted message
)

// take accepts or refuses a message of a user. An accepted message costs nothing if it is repeated
// because it could not be stored. A repeated refused message is refused with the same reply. If the
// clock was set back, the user gets a full bucket. unanswered is the number of earlier refused
// messages without a reply.
func (r *rateLimiter) take(of bucketKey, s messageKey, now time.Time, l GateLimits) (result rateResult,
	unanswered int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waits := of.texts && l.Waiting > 0
	if waits {
		l.Burst += l.Waiting
	}
	b := r.bucket(of, now, l)
	switch known := s.key != ""; {
	case known && slices.Contains(b.recent, s):
		return rateTaken, 0
	case b.limiter.AllowN(now, 1):
		b.refusalSent = false
		if known {
			b.addRecent(s)
		}
		return rateTaken, 0
	case waits:
		return b.refuse(s, now)
	case b.refusalSent && (!known || s != b.refusedMessage):
		return rateRefusedQuietly, 0
	}
	b.refusalSent, b.refusedMessage = true, s
	return rateRefused, 0
}

// addRecent adds an accepted message, in place of the oldest one if there are maxRecent.
func (b *bucket) addRecent(s messageKey) {
	if len(b.recent) < maxRecent {
		b.recent = append(b.recent, s)
		return
	}
	b.recent[b.next] = s
	b.next = (b.next + 1) % maxRecent
}

// bucket returns the bucket of a key, with the current limits. The caller holds the mutex.
func (r *rateLimiter) bucket(of bucketKey, now time.Time, l GateLimits) *bucket {
	b := r.buckets[of]
	if b == nil || now.Before(b.last) {
		b = &bucket{limiter: rate.NewLimiter(rate.Limit(l.PerSecond), l.Burst), replies: rate.NewLimiter(rate.Every(replyEvery), maxReplies)}
		if r.buckets == nil {
			r.buckets = map[bucketKey]*bucket{}
		}
		r.buckets[of] = b
	}
	b.last = now
	if b.limiter.Limit() != rate.Limit(l.PerSecond) || b.limiter.Burst() != l.Burst {
		b.limiter.SetLimitAt(now, rate.Limit(l.PerSecond))
		b.limiter.SetBurstAt(now, l.Burst)
	}
	return b
}

// refuse refuses a text that could have waited. A repeated text gets its reply again.
func (b *bucket) refuse(s messageKey, now time.Time) (result rateResult, unanswered int) {
	switch {
	case s.key != "" && slices.Contains(b.replied, s):
		return rateRefused, 0
	case !b.replies.AllowN(now, 1):
		b.unanswered++
		return rateRefusedQuietly, 0
	}
	b.replied = append(b.replied[max(0, len(b.replied)+1-maxReplies):], s)
	unanswered, b.unanswered = b.unanswered, 0
	if b.replies.TokensAt(now) < 1 {
		return rateRefusedLast, unanswered
	}
	return rateRefused, unanswered
}
