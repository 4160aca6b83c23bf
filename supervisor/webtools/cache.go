package webtools

import (
	"io"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor/egress"
)

// Limits of the kept answers. They are in memory, because the spool deletes a body once its call's
// result is committed.
const (
	keepAnswer     = 15 * time.Minute
	maxKeptBody    = 2 << 20 // bytes of one body
	maxKeptOfCache = 8 << 20 // bytes of all bodies
)

// keptAnswer is an answer that is kept for its user.
type keptAnswer struct {
	result protocol.WebFetchResult
	final  egress.Address
	body   string
	at     time.Time
}

type cacheKey struct {
	user    string
	address egress.Address
}

// cache keeps the answers of the last minutes for each user.
type cache struct {
	now func() time.Time

	mu      sync.Mutex // guards the following fields
	answers map[cacheKey]keptAnswer
	order   []cacheKey // keys of answers, the oldest first
	bytes   int
}

func newCache(now func() time.Time) *cache {
	return &cache{now: now, answers: map[cacheKey]keptAnswer{}}
}

// find returns the kept answer of an address.
func (c *cache) find(user string, address egress.Address) (keptAnswer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropOld(maxKeptOfCache)
	kept, found := c.answers[cacheKey{user, address}]
	return kept, found
}

// put keeps an answer, and drops older ones to make room.
func (c *cache) put(user string, address egress.Address, answer keptAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := cacheKey{user, address}
	if old, found := c.answers[k]; found {
		c.bytes -= len(old.body)
		c.order = without(c.order, k)
	}
	c.dropOld(maxKeptOfCache - len(answer.body))
	c.answers[k] = answer
	c.order = append(c.order, k)
	c.bytes += len(answer.body)
	time.AfterFunc(keepAnswer, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.dropOld(maxKeptOfCache)
	})
}

// dropOld drops answers that are too old, and then the oldest ones until all bodies fit into most
// bytes.
func (c *cache) dropOld(most int) {
	for len(c.order) > 0 {
		oldest := c.answers[c.order[0]]
		if c.bytes <= most && c.now().Sub(oldest.at) < keepAnswer {
			return
		}
		c.bytes -= len(oldest.body)
		delete(c.answers, c.order[0])
		c.order = c.order[1:]
	}
}

func without(keys []cacheKey, gone cacheKey) (left []cacheKey) {
	for _, k := range keys {
		if k != gone {
			left = append(left, k)
		}
	}
	return left
}

// bodyCopy reads a body, and copies it if it is small enough to be kept.
type bodyCopy struct {
	from  io.Reader
	kept  strings.Builder
	large bool  // the body is too large to be kept
	err   error // first error of a Read, other than io.EOF
}

func (b *bodyCopy) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.large = b.large || b.kept.Len()+n > maxKeptBody; b.large {
		b.kept.Reset()
	} else {
		b.kept.Write(p[:n])
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// cause returns the error of a failed Read; without one it returns err.
func (b *bodyCopy) cause(err error) error {
	if b.err != nil {
		return b.err
	}
	return err
}
