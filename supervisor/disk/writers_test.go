package disk

import (
	"fmt"
	"slices"
	"testing"

	"mews/protocol"
)

const mib = 1 << 20

func TestChooseWriters_ByGrowth_FindsTheCause(t *testing.T) {
	grew := func(user string, bytes, files int64) writer {
		return writer{user: user, DiskGrowth: protocol.DiskGrowth{Programs: 1, Bytes: bytes, Files: files}}
	}
	wrote := func(user string, written int64) writer {
		return writer{user: user, DiskGrowth: protocol.DiskGrowth{Programs: 1, Written: written}}
	}
	ann, bob, cleo := grew("ann", 500*mib, 3), grew("bob", 200*mib, 90_000), grew("cleo", 90*mib, 1)
	silent, partial := writer{user: "dora", silent: true}, grew("emil", 0, 0)
	partial.Partial = true
	idle := writer{user: "fred", DiskGrowth: protocol.DiskGrowth{Bytes: 900 * mib}}
	all := []writer{cleo, bob, ann, idle}
	for name, c := range map[string]struct {
		all  []writer
		need need
		want []string
	}{
		"nobody":                     {nil, need{noise: mib, urgent: true}, nil},
		"who grew most":              {all, need{noise: mib}, []string{"ann"}},
		"who made most files":        {all, need{files: true, noise: 100}, []string{"bob"}},
		"all who filled a full disk": {all, need{noise: mib, urgent: true}, []string{"ann", "bob"}},
		"nobody who grew a little":   {[]writer{grew("cleo", 4096, 1)}, need{noise: mib, urgent: true}, nil},
		"one who deletes": {[]writer{grew("ann", -mib, -1)},
			need{noise: mib, urgent: true, falling: true}, nil},
		"one without programs":     {[]writer{idle}, need{noise: mib, urgent: true, falling: true}, nil},
		"another folder, at first": {[]writer{wrote("ann", 9*mib), wrote("bob", mib)}, need{noise: mib}, nil},
		"another folder, then": {[]writer{wrote("bob", mib), wrote("ann", 9*mib)},
			need{noise: mib, falling: true}, []string{"ann"}},
		"another folder, disk full": {[]writer{wrote("bob", mib), wrote("ann", 9*mib)},
			need{noise: mib, urgent: true}, []string{"ann"}},
		"files elsewhere": {[]writer{wrote("ann", 8192)},
			need{files: true, noise: 100, falling: true}, []string{"ann"}},
		"somebody outside": {[]writer{wrote("ann", 100), grew("cleo", 100, 1)},
			need{noise: mib, falling: true}, nil},
		"who does not answer, at first": {[]writer{silent}, need{noise: mib}, nil},
		"who does not answer, then": {[]writer{wrote("cleo", 100), silent},
			need{noise: mib, falling: true}, []string{"dora"}},
		"who can't be counted": {[]writer{wrote("cleo", 100), partial},
			need{noise: mib, urgent: true}, []string{"emil"}},
		"a cause, beside a silent one": {[]writer{silent, ann},
			need{noise: mib, urgent: true, falling: true}, []string{"ann"}},
	} {
		if got := chooseWriters(c.all, c.need); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestSpace_BelowReserve_IsLow: the reserve is 1 GiB or 5 %, whichever is less, and 5 % of the
// files.
func TestSpace_BelowReserve_IsLow(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		s         Space
		low, full bool
	}{
		{Space{Total: 100 * gib, Free: gib}, false, false},
		{Space{Total: 100 * gib, Free: gib - 1}, true, false},
		{Space{Total: 100 * gib, Free: 64 * mib}, true, false},
		{Space{Total: 100 * gib, Free: 64*mib - 1}, true, true},
		{Space{Total: 40 * mib, Free: 2 * mib}, false, false},
		{Space{Total: 40 * mib, Free: 2*mib - 1}, true, true},
		{Space{Total: gib, Free: gib, Files: 1000, FreeFiles: 50}, false, false},
		{Space{Total: gib, Free: gib, Files: 1000, FreeFiles: 49}, true, false},
		{Space{Total: gib, Free: gib, Files: 1000, FreeFiles: 15}, true, true},
		{Space{Total: gib, Free: gib, Files: 100, FreeFiles: 4}, true, true},
		{Space{Total: gib, Free: gib}, false, false}, // a disk without a fixed number of files
		{Space{}, false, false},
	} {
		if c.s.IsLow() != c.low || c.s.IsFull() != c.full {
			t.Errorf("%+v: low %t, full %t", c.s, c.s.IsLow(), c.s.IsFull())
		}
		if text := fmt.Sprint(c.s); text == "" || c.s.DescribeReserve() == "" {
			t.Errorf("%+v has no text", c.s)
		}
	}
}
