package operation_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor/operation"
)

func TestMaxArchiveSize_FreeDisk_IsNotExceeded(t *testing.T) {
	const spare, least = 256 << 20, protocol.MinArchiveBytes
	for name, c := range map[string]struct {
		room, quota, holds int64
		more               bool
		want               int64 // the largest archive; 0 means that none is allowed
	}{
		"the quota":       {room: spare + 4*least, quota: 3 * least, more: true, want: 3 * least},
		"the free room":   {room: spare + 4*least, quota: 5 * least, holds: 4 * least, want: 4 * least},
		"no limit":        {room: spare + 4*least, holds: least, want: 4 * least},
		"a larger home":   {room: spare + 4*least, holds: 4*least + 1},
		"unknown size":    {room: spare + 4*least, holds: least, more: true},
		"too little room": {room: spare + least - 1},
	} {
		got, err := operation.MaxArchiveSize("ann", c.room, c.quota, c.holds, c.more)
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s: got %d, %v; want %d", name, got, err, c.want)
		}
	}
}
