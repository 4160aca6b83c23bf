package quota

import (
	"errors"
	"strings"
	"testing"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// TestReserve_AnyDisk_UsesSmallerBound: the reserve is 5 % of the disk or 1 GiB, whichever is less.
func TestReserve_AnyDisk_UsesSmallerBound(t *testing.T) {
	for _, c := range []struct {
		name        string
		disk        DiskSpace
		grow        int64
		wants, also string // parts of the refusal; "" means no refusal
	}{
		{"a big disk with room", DiskSpace{Total: 100 * gib, Free: 2 * gib}, gib, "", ""},
		{"a big disk, and it would touch 1 GiB", DiskSpace{Total: 100 * gib, Free: 2 * gib}, gib + 1,
			"has 2 GiB free of 100 GiB", "1 GiB are kept"},
		{"a big disk below 1 GiB", DiskSpace{Total: 100 * gib, Free: gib - 1}, 1, "has 1 GiB free", "1 GiB are kept"},
		{"a small disk with room", DiskSpace{Total: 100 * mib, Free: 6 * mib}, mib, "", ""},
		{"a small disk below 5 %", DiskSpace{Total: 100 * mib, Free: 4 * mib}, 1, "has 4 MiB free of 100 MiB",
			"5 MiB are kept"},
		{"a full disk", DiskSpace{Total: 100 * mib}, 1, "has 0 B free",
			"delete something first (what is in .trash counts too"},
		{"one that does not tell", DiskSpace{}, gib, "", ""},
		{"a project's, which the kernel keeps", DiskSpace{Total: mib, Project: true}, gib, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) { wantMessage(t, c.disk.shortage(c.grow), c.wants, c.also) })
	}
}

// TestProjectQuota_BelowOwnLimit_IsTheLimit uses numbers as ext4 and XFS give them for a folder
// (statfs(2) in it).
func TestProjectQuota_BelowOwnLimit_IsTheLimit(t *testing.T) {
	own := space{used: 3 * gib, limit: 10 * gib}
	for _, c := range []struct {
		name  string
		room  space
		disk  DiskSpace
		grow  int64
		wants string
	}{
		{"no project: the disk's size is no limit", own, DiskSpace{Total: 4 * gib, Free: 0}, gib, ""},
		{"a larger one", own, DiskSpace{Total: 20 * gib, Free: gib, Project: true}, 2 * gib, ""},
		{"a larger one, and over one's own", own, DiskSpace{Total: 20 * gib, Free: gib, Project: true}, 8 * gib,
			"3 GiB of the 10 GiB"},
		{"a smaller one with room", own, DiskSpace{Total: 5 * gib, Free: gib, Project: true}, gib, ""},
		{"a smaller one without", own, DiskSpace{Total: 5 * gib, Free: gib, Project: true}, gib + 1,
			"4 GiB of the 5 GiB"},
		{"no limit of one's own", space{used: gib}, DiskSpace{Total: 5 * gib, Free: 0, Project: true}, 1,
			"5 GiB of the 5 GiB"},
	} {
		t.Run(c.name, func(t *testing.T) { wantMessage(t, c.room.withProject(c.disk).shortage(c.grow), c.wants) })
	}
}

func TestQuotaRefusal_NamesSizes(t *testing.T) {
	for _, c := range []struct {
		room space
		grow int64
		want string
	}{
		{space{used: 10*gib + 205*mib, limit: 10 * gib}, 1,
			"the folder holds 10.2 GiB of the 10 GiB that it may; delete something first"},
		{space{used: 9 * gib, limit: 10 * gib}, 2 * gib,
			"the folder holds 9 GiB of the 10 GiB that it may, and this would add 2 GiB; delete something first"},
		{space{used: 10 * gib, limit: 10 * gib, more: true}, 1,
			"the folder holds at least 10 GiB of the 10 GiB that it may; delete something first"},
		{space{used: 9 * gib, limit: 10 * gib}, gib, ""},
		{space{used: 10 * gib, limit: 10 * gib}, 0, ""},
		{space{used: 1 << 60}, 1 << 60, ""},
	} {
		wantMessage(t, c.room.shortage(c.grow), c.want)
	}
}

func wantMessage(t *testing.T, err error, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if (err == nil) != (wants[0] == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestCheckGrowth_DiskError_AllowsAndReports: if the disk cannot be measured, writes are allowed
// and the error is reported.
func TestCheckGrowth_DiskError_AllowsAndReports(t *testing.T) {
	var told []error
	broken := errors.New("broken")
	q := newQuota(t, Options{
		Disk:   func(string) (DiskSpace, error) { return DiskSpace{}, broken },
		Report: func(err error) { told = append(told, err) },
	})
	if err := q.CheckGrowth(gib); err != nil || len(told) == 0 || !errors.Is(told[0], broken) {
		t.Errorf("got %v; told %v", err, told)
	}
}
