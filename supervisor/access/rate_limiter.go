package access

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rateLimiter bounds how fast each person may send: so many at once, and after that so many a
// second. Texts beyond that may wait, and have a limit apart from that of commands and presses, so
// that many texts silence no button. The zero value is ready; it may be used from several
// goroutines. It remembers everybody it is asked about, so it is not for unknown people.
type rateLimiter struct {
	mu      sync.Mutex // guards what follows
	buckets map[bucketKey]*bucket
}

// bucketKey is whose texts a bucket is for, or whose commands and presses.
type bucketKey struct {
	user  string
	texts bool
}

// bucket is one of a person's two.
type bucket struct {
	limiter        *rate.Limiter
	last           time.Time             // when it was last asked
	refusalSent    bool                  // that something was not taken, since something was
	refusedMessage messageKey            // what that was
	recent         [maxRecent]messageKey // what was taken last, as a ring
	next           int                   // in recent

	replies    *rate.Limiter // to refused texts that might have waited
	replied    []messageKey  // those that had the newest, at most maxReplies
	unanswered int           // those since then that had none
}

// A flood must not have Mews send without end: so many refused texts in a row have a reply each,
// and from then on one at most in each replyEvery, which counts the others.
const (
	maxReplies = 20
	replyEvery = 10 * time.Second
)

// maxRecent is how many messages of a person are known again when they come again: more than the
// 100 of one batch of Telegram's (Bot API, getUpdates).
const maxRecent = 256

// messageKey tells when a message of a person comes again. Without a key it does not.
type messageKey struct{ source, key string }

// rateResult is what becomes of one message.
type rateResult int

const (
	rateTaken          rateResult = iota
	rateRefused                   // the person is to be told
	rateRefusedLast               // so, and those behind it get no reply for a while
	rateRefusedQuietly            // they were told, and nothing was taken since
)

// take takes a message of a person, or refuses it. A message that was taken and comes again,
// because it could not be kept, costs nothing; one whose refusal was told is refused aloud again.
// After the clock was set back a person has a full bucket: nobody is silenced until it is as late
// again as it was. unanswered is how many before this one were refused without a reply.
func (r *rateLimiter) take(of bucketKey, s messageKey, now time.Time, l Limits) (result rateResult, unanswered int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waits := of.texts && l.Waiting > 0
	if waits {
		l.Burst += l.Waiting
	}
	b := r.bucket(of, now, l)
	switch known := s.key != ""; {
	case known && slices.Contains(b.recent[:], s):
		return rateTaken, 0
	case b.limiter.AllowN(now, 1):
		b.refusalSent = false
		if known {
			b.recent[b.next] = s
			b.next = (b.next + 1) % maxRecent
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

// bucket is the bucket of a key, with the limits as they are now. The caller holds the mutex.
func (r *rateLimiter) bucket(of bucketKey, now time.Time, l Limits) *bucket {
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

// refuse refuses a text that might have waited. One that has had its reply has it again.
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
