package placement

import (
	"sync"

	"mews/protocol"
)

// DiskUsage are what people's homes hold, as their workers have told it last. The zero value is
// ready.
type DiskUsage struct {
	mu   sync.Mutex
	last map[string]protocol.TurnEnd // by user
}

// Note takes in what a worker has told at a turn's end, if it has counted.
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

// Of is what a person's home holds; 0 is that nobody knows.
func (h *DiskUsage) Of(user string) (bytes int64, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last[user].Disk, h.last[user].DiskMore
}
