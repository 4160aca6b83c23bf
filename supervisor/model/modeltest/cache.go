package modeltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"sync"
	"time"
)

// tokenBytes is the number of bytes that this server counts as a token.
const tokenBytes = 4

func tokens(size int) int64 { return int64(size / tokenBytes) }

// prompt is the model's input, in its order: tools, system text, messages.
type prompt struct {
	pieces []piece
	model  string
	// parameters that are part of every prefix with messages
	mode       string
	messagesAt int           // index of the first piece of a message
	keep       time.Duration // how long the automatic cache of OpenAI keeps the prompt
}

// piece is a tool, or a block of a message.
type piece struct {
	data []byte        // the JSON of the piece without its cache marker
	keep time.Duration // the lifetime that the cache marker requests; 0 means no marker
}

func (p prompt) tokens() int64 {
	size := 0
	for _, one := range p.pieces {
		size += len(one.data)
	}
	return tokens(size)
}

// withoutMarker returns a JSON object without its cache marker. Other values stay as they are.
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

// unmarked remembers pieces without their cache markers.
var unmarked memo[[]byte]

// counts has the token counts of a request. Each token is counted in only one field.
type counts struct {
	input, read, write5m, write1h int64
	output, thought               int64 // thought is included in output
}

func (c counts) written() int64 { return c.write5m + c.write1h }
func (c counts) total() int64   { return c.input + c.read + c.written() }

// withAnswer adds the tokens of an answer. If the answer has its own Usage, withAnswer returns only
// this Usage.
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

// maxPrefixes is the maximum number of cached prefixes. Above this number, the cache drops expired
// prefixes, or all prefixes if none has expired.
const maxPrefixes = 50_000

type prefix [sha256.Size]byte

// cache has the cached prefixes, each with its expiry time.
type cache struct {
	mu    sync.Mutex
	until map[prefix]time.Time
}

func (c *cache) holds(p prefix, now time.Time) bool {
	until, known := c.until[p]
	return known && now.Before(until)
}

// put caches a prefix, or renews its lifetime.
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

// maxBlocks is the number of blocks before a marker in which Anthropic searches for a cached
// prefix.
const maxBlocks = 20

// useMarkers works like Anthropic's cache. It writes a prefix at each marker. It reads the longest
// cached prefix that ends at a marker or shortly before, and renews that prefix's lifetime.
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

// lifetime returns the lifetime of the first marker at or after an index.
func (c *cache) lifetime(p prompt, at int) time.Duration {
	for _, one := range p.pieces[at:] {
		if one.keep > 0 {
			return one.keep
		}
	}
	return 0
}

// sums returns the size in tokens and the hash of each prefix.
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

// found returns the index of the last piece of the longest cached prefix; -1 if no prefix is
// cached.
func (c *cache) found(p prompt, sums []prefix, now time.Time) int {
	for i := len(p.pieces) - 1; i >= 0; i-- {
		if p.pieces[i].keep == 0 {
			continue
		}
		for j := i; j >= 0 && j > i-maxBlocks; j-- {
			if c.holds(sums[j], now) {
				return j
			}
		}
	}
	return -1
}

const (
	automaticStep = 128              // prefixes are read in multiples of this number of tokens
	automaticKeep = 10 * time.Minute // OpenAI's documentation says five to ten minutes
)

// usePrefixes works like OpenAI's cache. It reads repeated prefixes, in multiples of automaticStep
// tokens. Writing costs nothing.
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
