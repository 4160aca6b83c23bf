package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"mews/supervisor/modelcall"
)

// longCache is the lifetime from which an endpoint is asked to cache for longer than by default.
const longCache = time.Hour

// cacheByKey is OpenAI's way. OpenAI caches by default; the key sends requests that begin alike to
// the same machine. It is a hash of what they have in common. The default cache is lost after some
// minutes, so a long lifetime asks for the longer of the two that there are.
func cacheByKey(r *request, req modelcall.Request) {
	h := sha256.New()
	h.Write([]byte(req.System))
	h.Write([]byte{0})
	if len(req.Messages) > 0 {
		h.Write([]byte(req.Messages[0].Text()))
	}
	r.CacheKey = "mews-" + hex.EncodeToString(h.Sum(nil)[:12])
	if req.Cache >= longCache {
		r.CacheRetention = "24h"
	}
}

// markedPrefix begins the names of the models at OpenRouter that cache only what is marked.
const markedPrefix = "anthropic/"

// cacheByMarks is OpenRouter's way with Anthropic's models. It marks the system text, the person's
// last message and the newest result: each ends a prefix that is to be cached. Four marks are
// allowed.
func cacheByMarks(r *request, req modelcall.Request) {
	if !strings.HasPrefix(req.Model, markedPrefix) {
		return
	}
	mark := &cacheControl{Type: "ephemeral"}
	if req.Cache >= longCache {
		mark.TTL = "1h"
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

// removeMarks removes the marks. It says whether there were any.
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
