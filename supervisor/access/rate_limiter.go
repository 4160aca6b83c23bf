package access

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rateLimiter bounds how fast each person may send: so many at once, and after that so many a second. Texts beyond that may wait,
// and have a limit apart from that of commands and presses, so that many texts silence no button. The zero value is ready; it may
// be used from several goroutines. It remembers everybody it is asked about, so it is not for unknown people.
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
	next           int                   // in paid
}

// maxRecent is how many messages of a person are known again when they come again: more than the 100 of one batch of Telegram's
// (Bot API, getUpdates).
const maxRecent = 256

// messageKey tells when a message of a person comes again. Without a key it does not.
type messageKey struct{ source, key string }

// rateResult is what becomes of one message.
type rateResult int

const (
	rateTaken          rateResult = iota
	rateRefused                   // the person is to be told
	rateRefusedQuietly            // they were told, and nothing was taken since
)

// take takes a message of a person, or refuses it. A message that was taken and comes again, because it could not be kept, costs
// nothing; one whose refusal was told is refused aloud again. After the clock was set back a person has a full bucket: nobody is
// silenced until it is as late again as it was.
func (r *rateLimiter) take(of bucketKey, s messageKey, now time.Time, l Limits) rateResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of.texts {
		l.Burst += l.Waiting
	}
	b := r.buckets[of]
	if b == nil || now.Before(b.last) {
		b = &bucket{limiter: rate.NewLimiter(rate.Limit(l.PerSecond), l.Burst)}
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
	switch known := s.key != ""; {
	case known && slices.Contains(b.recent[:], s):
		return rateTaken
	case b.limiter.AllowN(now, 1):
		b.refusalSent = false
		if known {
			b.recent[b.next] = s
			b.next = (b.next + 1) % maxRecent
		}
		return rateTaken
	case b.refusalSent && (!known || s != b.refusedMessage):
		return rateRefusedQuietly
	}
	b.refusalSent, b.refusedMessage = true, s
	return rateRefused
}
