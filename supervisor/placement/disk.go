package placement

import (
	"sync"

	"mews/protocol"
)

// DiskUsage holds the latest sizes of users' homes, as reported by their workers. The zero value is
// ready.
type DiskUsage struct {
	mu   sync.Mutex
	last map[string]protocol.TurnEnd // by user
}

// Note records the size that a worker reports at a turn's end, if the report has one.
func (h *DiskUsage) Note(user string, end protocol.TurnEnd) {
	if end.Disk <= 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == nil {
		h.last = map[string]protocol.TurnEnd{}
	}
	h.last[user] = end
}

// Of returns the size of a user's home; 0 means unknown.
func (h *DiskUsage) Of(user string) (bytes int64, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last[user].Disk, h.last[user].DiskMore
}
