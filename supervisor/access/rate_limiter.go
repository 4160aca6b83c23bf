package access

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rateLimiter bounds how fast each person may send: so many at once, and from then on so many a second. The zero value is ready;
// it may be used from several goroutines. It remembers whom it is asked about, so that has to be somebody known.
type rateLimiter struct {
	mu      sync.Mutex // guards what follows
	buckets map[string]*bucket
}

// bucket is one person's.
type bucket struct {
	limiter        *rate.Limiter
	last           time.Time             // when it was last asked
	refusalSent    bool                  // that something was not taken, since something was
	refusedMessage messageKey            // what that was
	recent         [maxRecent]messageKey // what was taken last, as a ring
	next           int                   // in paid
}

// maxRecent is how many messages of a person are known again: more than come in one batch of Telegram's, which is 100 (Bot API,
// getUpdates).
const maxRecent = 256

// messageKey is what a message is known by when it is sent again, to its person's bucket. Without a key it is known by nothing.
type messageKey struct{ source, key string }

// rateResult is what becomes of one message.
type rateResult string

const (
	rateTaken          rateResult = "taken"
	rateRefused        rateResult = "refused" // the person is to be told
	rateRefusedQuietly rateResult = "quiet"   // they were told, and nothing was taken since
)

// take takes a message of a person, or does not. One that was taken and comes again, as where it could not be kept, is
// taken for nothing; what they were told of is told again. After a clock was set back they have a full bucket: nobody is
// silenced until it is again as late as it was.
func (r *rateLimiter) take(user string, s messageKey, now time.Time, l Limits) rateResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buckets[user]
	if b == nil || now.Before(b.last) {
		b = &bucket{limiter: rate.NewLimiter(rate.Limit(l.PerSecond), l.Burst)}
		if r.buckets == nil {
			r.buckets = map[string]*bucket{}
		}
		r.buckets[user] = b
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

// rateLimitText is what a person is told of the first message that was not taken.
func rateLimitText(l Limits) string {
	return fmt.Sprintf("You are sending faster than I take it: %d at once, and then %g a second. This message was not taken, and "+
		"neither is what follows it as fast. Send it again in a moment. /stop is always taken.", l.Burst, l.PerSecond)
}
