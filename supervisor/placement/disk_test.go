package placement

import (
	"testing"

	"mews/protocol"
)

func TestDiskUsage_LimitStrikes_ShowsNewSize(t *testing.T) {
	var held DiskUsage
	held.RecordHomeSize("ann", protocol.TurnEnd{Disk: 10, DiskMore: true})
	held.RecordExcess("ann", protocol.DiskExceeded{Bytes: 90, Files: 5})
	if bytes, more := held.HomeSize("ann"); bytes != 90 || more {
		t.Errorf("%d bytes, and more: %v", bytes, more)
	}
}
