package placement

import (
	"sync"

	"mews/protocol"
)

// DiskUsage holds the latest sizes of users' homes, as their workers report them. The zero value is
// ready for use.
type DiskUsage struct {
	mu   sync.Mutex
	last map[string]protocol.TurnEnd // each user's last report of the size
}

// RecordHomeSize records the size of a user's home that the worker reports at a turn's end. An end
// without a size changes nothing.
func (h *DiskUsage) RecordHomeSize(user string, end protocol.TurnEnd) {
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

// RecordExcess records the size of a user's home that has grown beyond its limits.
func (h *DiskUsage) RecordExcess(user string, size protocol.DiskExceeded) {
	h.RecordHomeSize(user, protocol.TurnEnd{Disk: size.Bytes})
}

// HomeSize returns the size of a user's home; 0 means unknown. more means that the home is even
// larger.
func (h *DiskUsage) HomeSize(user string) (bytes int64, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last[user].Disk, h.last[user].DiskMore
}
