package main

import (
	"testing"

	"mews/protocol"
	"mews/supervisor/api"
	"mews/supervisor/placement"
)

// TestDiskLine_ShowsLastReportedSize: status shows the size that a worker reported last, or a
// text that no size is known yet.
func TestDiskLine_ShowsLastReportedSize(t *testing.T) {
	var held placement.DiskUsage
	for _, step := range []struct {
		told  protocol.TurnEnd
		limit int64
		want  string
	}{
		{protocol.TurnEnd{}, 10 << 30, "not counted yet"},
		{protocol.TurnEnd{Disk: 1288490189}, 10 << 30, "1.2 GiB of 10 GiB"},
		{protocol.TurnEnd{Disk: 2 << 30, DiskMore: true}, 10 << 30, "at least 2 GiB of 10 GiB"},
		{protocol.TurnEnd{}, 10 << 30, "at least 2 GiB of 10 GiB"},
		{protocol.TurnEnd{Disk: -1}, 10 << 30, "at least 2 GiB of 10 GiB"},
		{protocol.TurnEnd{Disk: 12 << 30}, 10 << 30, "12 GiB of 10 GiB"},
		{protocol.TurnEnd{Disk: 4096}, 0, "4 KiB"},
	} {
		held.RecordHomeSize("alice", step.told)
		held.RecordHomeSize("bob", protocol.TurnEnd{Disk: 1})
		u := api.UserStatus{Name: "alice", DiskLimit: step.limit}
		u.Disk, u.DiskMore = held.HomeSize(u.Name)
		if got := api.HomeSizeText(u); got != step.want {
			t.Errorf("told %+v: %q, want %q", step.told, got, step.want)
		}
	}
}
