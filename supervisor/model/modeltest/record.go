package modeltest

import (
	"maps"
	"slices"
	"sync"
)

// Limits for the recorded requests: their number, and the size of their bodies in bytes. The oldest
// requests are dropped.
const (
	maxKept      = 1000
	maxKeptBytes = 64 << 20
)

// record has a server's recent requests, and their token counts.
type record struct {
	mu    sync.Mutex
	count int
	kept  []Request
	bytes int
	spent map[string]ConversationUsage
}

// ConversationUsage has the token counts of a conversation.
type ConversationUsage struct {
	Calls      int
	Input      int64 // all input tokens, including those read from and written to the cache
	Output     int64
	CacheRead  int64
	CacheWrite int64
}

// CacheReadShare returns the share of input tokens that came from the cache, from 0 to 1.
func (s ConversationUsage) CacheReadShare() float64 {
	if s.Input == 0 {
		return 0
	}
	return float64(s.CacheRead) / float64(s.Input)
}

func (s ConversationUsage) plus(o ConversationUsage) ConversationUsage {
	return ConversationUsage{s.Calls + o.Calls, s.Input + o.Input, s.Output + o.Output, s.CacheRead + o.CacheRead,
		s.CacheWrite + o.CacheWrite}
}

// Requests returns the recorded requests, oldest first. They have passed the checks.
func (s *Server) Requests() []Request {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	return slices.Clone(s.record.kept)
}

// CountRequests returns the number of requests that have passed the checks.
func (s *Server) CountRequests() int {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	return s.record.count
}

// UsageByConversation returns the token counts by Request.Conversation. An answer is counted in
// full as soon as it has begun.
func (s *Server) UsageByConversation() map[string]ConversationUsage {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	return maps.Clone(s.record.spent)
}

// TotalUsage returns the token counts of all conversations together.
func (s *Server) TotalUsage() ConversationUsage {
	var all ConversationUsage
	for _, one := range s.UsageByConversation() {
		all = all.plus(one)
	}
	return all
}

func (r *record) keep(one Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.bytes += len(one.Raw)
	r.kept = append(r.kept, one)
	for len(r.kept) > maxKept || (r.bytes > maxKeptBytes && len(r.kept) > 1) {
		r.bytes -= len(r.kept[0].Raw)
		r.kept[0] = Request{} // frees the body at once
		r.kept = r.kept[1:]
	}
}

func (r *record) spend(e *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spent == nil {
		r.spent = map[string]ConversationUsage{}
	}
	c := e.cost
	r.spent[e.Conversation] = r.spent[e.Conversation].plus(ConversationUsage{Calls: 1, Input: c.total(),
		Output:    c.output,
		CacheRead: c.read, CacheWrite: c.written()})
}
