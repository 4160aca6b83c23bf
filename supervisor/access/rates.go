package access

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rates bounds how fast each person may send: so many at once, and from then on so many a second. The zero value is ready;
// it may be used from several goroutines. It remembers whom it is asked about, so that has to be somebody known.
type rates struct {
	mu     sync.Mutex // guards what follows
	people map[string]*bucket
}

// bucket is one person's.
type bucket struct {
	limiter *rate.Limiter
	last    time.Time        // when it was last asked
	told    bool             // that something was not taken, since something was
	toldOf  sending          // what that was
	paid    [maxPaid]sending // what was taken last, as a ring
	next    int              // in paid
}

// maxPaid is how many messages of a person are known again: more than come in one batch of Telegram's, which is 100 (Bot API,
// getUpdates).
const maxPaid = 256

// sending is what a message is known by when it is sent again, to its person's bucket. Without a key it is known by nothing.
type sending struct{ source, key string }

// pace is what becomes of one message.
type pace string

const (
	paceTaken   pace = "taken"
	paceRefused pace = "refused" // the person is to be told
	paceQuiet   pace = "quiet"   // they were told, and nothing was taken since
)

// take takes a message of a person, or does not. One that was taken and comes again, as where it could not be kept, is
// taken for nothing; what they were told of is told again. After a clock was set back they have a full bucket: nobody is
// silenced until it is again as late as it was.
func (r *rates) take(user string, s sending, now time.Time, l Limits) pace {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.people[user]
	if b == nil || now.Before(b.last) {
		b = &bucket{limiter: rate.NewLimiter(rate.Limit(l.Second), l.Burst)}
		if r.people == nil {
			r.people = map[string]*bucket{}
		}
		r.people[user] = b
	}
	b.last = now
	if b.limiter.Limit() != rate.Limit(l.Second) || b.limiter.Burst() != l.Burst {
		b.limiter.SetLimitAt(now, rate.Limit(l.Second))
		b.limiter.SetBurstAt(now, l.Burst)
	}
	switch known := s.key != ""; {
	case known && slices.Contains(b.paid[:], s):
		return paceTaken
	case b.limiter.AllowN(now, 1):
		b.told = false
		if known {
			b.paid[b.next] = s
			b.next = (b.next + 1) % maxPaid
		}
		return paceTaken
	case b.told && (!known || s != b.toldOf):
		return paceQuiet
	}
	b.told, b.toldOf = true, s
	return paceRefused
}

// hurriedText is what a person is told of the first message that was not taken.
func hurriedText(l Limits) string {
	return fmt.Sprintf("You are sending faster than I take it: %d at once, and then %g a second. This message was not taken, and "+
		"neither is what follows it as fast. Send it again in a moment. /stop is always taken.", l.Burst, l.Second)
}
