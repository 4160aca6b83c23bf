package placement

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"mews/protocol/amount"
	"mews/protocol/spawnwire"
	"mews/supervisor/pool"
)

// LimitNotices remembers who was told of which limit. The zero value is ready.
type LimitNotices struct {
	mu   sync.Mutex // of told
	told map[string]time.Time
}

// first says whether this is to be told.
func (s *LimitNotices) first(what string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.told[what]; ok && now.Sub(last) < quiet {
		return false
	}
	if s.told == nil {
		s.told = map[string]time.Time{}
	}
	s.told[what] = now
	return true
}

// Forget has a person told again: a turn of theirs begins.
func (s *LimitNotices) Forget(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.told, func(what string, _ time.Time) bool { return strings.HasPrefix(what, user+" ") })
}

// tellTimeout is how long it may take to tell a person something.
const tellTimeout = time.Minute

// quiet is how long a person is not told again of the same limit in one turn.
const quiet = 10 * time.Minute

// OnLimit tells a person that a limit was hit, once in a while. It does not block.
func (c *Places) OnLimit(user string, hit spawnwire.LimitHit) {
	if !c.Notices.first(user+" "+hit.Kind, time.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	go func() { // ends with its timeout: whoever told of it must not be held up
		defer cancel()
		c.Tell(ctx, user, limitText(hit))
	}()
}

// limitText says which limit was hit and what can be done about it.
func limitText(hit spawnwire.LimitHit) string {
	switch hit.Kind {
	case "memory":
		return fmt.Sprintf(textMemory, amount.Size(int64(hit.Limit)))
	case pool.LimitShortage:
		return textShortage
	}
	if text := limitTexts[hit.Kind]; text != "" {
		return fmt.Sprintf(text, hit.Limit)
	}
	return fmt.Sprintf(textOtherLimit, hit.Kind)
}
