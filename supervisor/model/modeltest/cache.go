package modeltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"sync"
	"time"
)

// tokenBytes is the number of bytes in a token of this server.
const tokenBytes = 4

func tokens(size int) int64 { return int64(size / tokenBytes) }

// prompt is the model's input in its order: tools, system, messages.
type prompt struct {
	pieces []piece
	model  string
	// settings that matter only for a prefix with messages
	mode       string
	messagesAt int           // the index of a message's first piece
	keep       time.Duration // how long an automatic cache keeps the prompt
}

// piece is a tool, or a block of a message.
type piece struct {
	data []byte        // the piece's JSON without its marker
	keep time.Duration // the lifetime that the marker asks for; 0 without a marker
}

func (p prompt) tokens() int64 {
	size := 0
	for _, one := range p.pieces {
		size += len(one.data)
	}
	return tokens(size)
}

// withoutMarker returns a JSON object without its marker. Its values stay as they are.
func withoutMarker(section string, raw json.RawMessage) []byte {
	data, _ := unmarked.of(append([]byte(section), raw...), func() ([]byte, *refusal) {
		var keys map[string]json.RawMessage
		if json.Unmarshal(raw, &keys) != nil {
			return append([]byte(section), raw...), nil
		}
		delete(keys, "cache_control")
		return append([]byte(section), mustJSON(keys)...), nil
	})
	return data
}

// unmarked remembers pieces without their markers.
var unmarked memo[[]byte]

// counts is the cost of a request in tokens. Each token counts in one field only.
type counts struct {
	input, read, write5m, write1h int64
	output, thought               int64 // thought is a part of output
}

func (c counts) written() int64 { return c.write5m + c.write1h }
func (c counts) total() int64   { return c.input + c.read + c.written() }

// withAnswer adds the cost of an answer, or returns the answer's own Usage.
func (c counts) withAnswer(a Answer) counts {
	if u := a.Usage; u != nil {
		return counts{input: u.Prompt - u.Cached - u.Written, read: u.Cached, write5m: u.Written, output: u.Completion,
			thought: u.Thought}
	}
	size := len(a.Text)
	for _, call := range a.Calls {
		size += len(call.Name) + len(call.Args)
	}
	c.thought = tokens(len(a.Thinking))
	c.output = max(1, tokens(size)+c.thought)
	return c
}

// maxPrefixes limits the cached prefixes. At the limit, expired prefixes are dropped; if none is
// expired, all are.
const maxPrefixes = 50_000

type prefix [sha256.Size]byte

// cache has the cached prefixes, each with its time of expiry.
type cache struct {
	mu    sync.Mutex
	until map[prefix]time.Time
}

func (c *cache) holds(p prefix, now time.Time) bool {
	until, known := c.until[p]
	return known && now.Before(until)
}

// put caches a prefix from now on.
func (c *cache) put(p prefix, now time.Time, keep time.Duration) {
	if c.until == nil {
		c.until = map[prefix]time.Time{}
	}
	if len(c.until) > maxPrefixes {
		maps.DeleteFunc(c.until, func(_ prefix, until time.Time) bool { return !now.Before(until) })
		if len(c.until) > maxPrefixes/2 {
			clear(c.until)
		}
	}
	if until := now.Add(keep); until.After(c.until[p]) {
		c.until[p] = until
	}
}

// lookBack is how many blocks before a marker Anthropic searches for a cached prefix.
const lookBack = 20

// useMarkers is Anthropic's cache. It writes a prefix at each marker. It reads the longest cached
// prefix that ends at a marker or shortly before it, and restarts that prefix's lifetime.
func (c *cache) useMarkers(p prompt, now time.Time, least int) counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	ends, sums := p.sums()
	found := c.found(p, sums, now)
	count := counts{}
	if found >= 0 {
		count.read = ends[found]
	}
	last := count.read
	for i, one := range p.pieces {
		if one.keep == 0 || ends[i] < int64(least) {
			continue
		}
		c.put(sums[i], now, one.keep)
		if i <= found {
			continue
		}
		count.add(one.keep, ends[i]-last)
		last = ends[i]
	}
	if found >= 0 {
		c.put(sums[found], now, c.lifetime(p, found))
	}
	count.input = p.tokens() - last
	return count
}

func (c *counts) add(keep time.Duration, n int64) {
	if keep > 5*time.Minute {
		c.write1h += n
		return
	}
	c.write5m += n
}

// lifetime returns the lifetime of the first marker at or after a position.
func (c *cache) lifetime(p prompt, at int) time.Duration {
	for _, one := range p.pieces[at:] {
		if one.keep > 0 {
			return one.keep
		}
	}
	return 0
}

// sums returns the tokens and the hash of each prefix.
func (p prompt) sums() (ends []int64, sums []prefix) {
	sum, size := sha256.Sum256([]byte(p.model)), 0
	for i, one := range p.pieces {
		size += len(one.data)
		if i == p.messagesAt {
			sum = sha256.Sum256(append(sum[:], p.mode...))
		}
		sum = sha256.Sum256(append(sum[:], one.data...))
		ends, sums = append(ends, tokens(size)), append(sums, sum)
	}
	return ends, sums
}

// found returns the index of the last piece of the longest cached prefix; -1 for none.
func (c *cache) found(p prompt, sums []prefix, now time.Time) int {
	for i := len(p.pieces) - 1; i >= 0; i-- {
		if p.pieces[i].keep == 0 {
			continue
		}
		for j := i; j >= 0 && j > i-lookBack; j-- {
			if c.holds(sums[j], now) {
				return j
			}
		}
	}
	return -1
}

const (
	automaticStep = 128              // tokens
	automaticKeep = 10 * time.Minute // OpenAI says five to ten minutes
)

// usePrefixes is OpenAI's cache. It reads repeated prefixes in multiples of automaticStep tokens;
// writing costs nothing.
func (c *cache) usePrefixes(p prompt, now time.Time, least int) counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	var whole bytes.Buffer
	for _, one := range p.pieces {
		whole.Write(one.data)
	}
	count, run := counts{}, sha256.Sum256([]byte(p.model))
	for data, at := whole.Bytes(), automaticStep; at <= int(tokens(len(data))); at += automaticStep {
		run = sha256.Sum256(append(run[:], data[(at-automaticStep)*tokenBytes:at*tokenBytes]...))
		if at < least {
			continue
		}
		if c.holds(run, now) {
			count.read = int64(at)
		}
		c.put(run, now, max(p.keep, automaticKeep))
	}
	count.input = tokens(whole.Len()) - count.read
	return count
}
