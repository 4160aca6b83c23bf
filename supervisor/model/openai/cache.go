package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"mews/supervisor/modelcall"
)

// longCache is the shortest lifetime for which the endpoint's longer cache is requested.
const longCache = time.Hour

// cacheByKey sets OpenAI's cache key, a hash of the common beginning of requests. OpenAI caches by
// default. The key sends requests with the same beginning to the same machine. The default cache
// lasts some minutes. For a long lifetime, cacheByKey requests OpenAI's longer cache.
func cacheByKey(r *request, req modelcall.Request) {
	h := sha256.New()
	h.Write([]byte(req.System))
	h.Write([]byte{0})
	switch {
	case req.Shared > 0: // all requests with this beginning have one key
		h.Write([]byte(req.Messages[0].Parts[0].Text))
	case len(req.Messages) > 0:
		h.Write([]byte(req.Messages[0].Text()))
	}
	r.CacheKey = "mews-" + hex.EncodeToString(h.Sum(nil)[:12])
	if req.Cache >= longCache {
		r.CacheRetention = "24h"
	}
}

// markedPrefix begins the names of OpenRouter's models that cache only up to a mark.
const markedPrefix = "anthropic/"

// cacheByMarks sets cache marks for Anthropic's models at OpenRouter: after the system text, the
// user's last message and the newest result. Four marks are allowed.
func cacheByMarks(r *request, req modelcall.Request) {
	if !strings.HasPrefix(req.Model, markedPrefix) {
		return
	}
	mark := &cacheControl{Type: "ephemeral"}
	if req.Cache >= longCache {
		mark.TTL = "1h"
	}
	if req.Shared > 0 {
		markShared(r, req, mark)
		return
	}
	last := len(r.Messages) - 1
	asked := last
	for asked > 0 && r.Messages[asked].Role != "user" {
		asked--
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if text := m.text(); text != "" && (m.Role == "system" || i == asked || (i == last && m.Role == "tool")) {
			parts := m.parts()
			parts[len(parts)-1].Cache = mark
			m.Content = parts
		}
	}
}

// markShared sets cache marks after the parts of the first message that other requests share.
func markShared(r *request, req modelcall.Request, mark *cacheControl) {
	first := slices.IndexFunc(r.Messages, func(m message) bool { return m.Role == "user" })
	if first < 0 || r.Messages[first].pictured() {
		return
	}
	var parts []part
	for i, p := range req.Messages[0].Parts {
		one := part{Type: "text", Text: p.Text}
		if i < req.Shared {
			one.Cache = mark
		}
		parts = append(parts, one)
	}
	r.Messages[first].Content = parts
}

// removeMarks removes the cache marks and reports whether there were any.
func removeMarks(r *request) bool {
	found := false
	for i, m := range r.Messages {
		parts := m.parts()
		for j := range parts {
			if parts[j].Cache != nil {
				parts[j].Cache, found = nil, true
				r.Messages[i].Content = simplestContent(parts)
			}
		}
	}
	return found
}
