package filehistory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// noise returns bytes that cannot be compressed.
func noise(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// TestRoom_JunkForAnHour_KeepsDiary writes junk over and over, and then deletes the diary.
func TestRoom_JunkForAnHour_KeepsDiary(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Room = 2 << 20 })
	f.write("diary", "dear diary")
	f.write("book", noise(0, 50<<10))
	for i := range 60 {
		p := f.begin()
		for j := range 3 {
			f.write(fmt.Sprint("junk", j), noise(uint64(i*10+j+1), 50<<10))
		}
		f.write("book", noise(uint64(1000+i), 50<<10))
		f.end(p)
		f.keepAll()
		f.pass(time.Minute)
	}
	p := f.begin()
	for name := range f.contents() {
		f.check(os.RemoveAll(f.path(name)))
	}
	span := f.end(p)
	undone := f.undo(span, false, "undo 1")
	if f.read("diary") != "dear diary" {
		t.Errorf("got %q, %+v", f.read("diary"), undone)
	}
	if got := f.version("book", 1); got != noise(0, 50<<10) {
		t.Error("the first version of the book is gone")
	}
	if lost := p.NotKept().Count; undone.NotKept.Count != lost || undone.Restored.Count != 5-lost {
		t.Errorf("got %+v, %d not kept", undone, lost)
	}
	if space := f.h.Space(); space.Bytes > 2200<<10 {
		t.Errorf("the history takes %d bytes of 2 MiB", space.Bytes)
	}
}

// TestRoom_DeletedJunk_IsRefused fills the room with files that are deleted again. None of them can
// be spared, so new ones are refused.
func TestRoom_DeletedJunk_IsRefused(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Room = 2 << 20 })
	f.write("diary", "dear diary")
	f.program(func() { f.write("diary", "junk") })
	f.program(func() { f.write("diary", "more junk") })
	refused := int64(0)
	for i := range 20 {
		f.program(func() { f.write(fmt.Sprint("junk", i), noise(uint64(i), 200<<10)) })
		p := f.begin()
		f.check(os.Remove(f.path(fmt.Sprint("junk", i))))
		f.end(p)
		refused += p.NotKept().Count
	}
	if refused < 5 || refused > 15 {
		t.Errorf("%d files were refused", refused)
	}
	f.program(func() { f.write("diary", "even more") })
	if got := f.version("diary", 1); got != "dear diary" {
		t.Errorf("got %q", got)
	}
}

func TestRoom_OldVersions_GoFirst(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Room = 4 << 20 })
	f.write("gone", "the only version")
	f.program(func() { f.check(os.Remove(f.path("gone"))) })
	first := f.h.Space().Bytes
	for i := range 30 {
		f.program(func() { f.write("book", noise(uint64(i), 300<<10)) })
		f.pass(20 * time.Hour)
	}
	p := f.begin()
	if n := p.NotKept(); n.Count > 0 || first == 0 {
		t.Errorf("got %+v", n)
	}
	p.Drop()
	if got := f.version("gone", 1); got != "the only version" {
		t.Errorf("got %q", got)
	}
	if got := f.version("book", f.lastPoint()); got != noise(29, 300<<10) {
		t.Error("the present version is gone")
	}
}

func (f *fixture) lastPoint() (n int64) {
	f.check(f.h.do(func(s *store) error {
		n = s.index.last()
		return nil
	}))
	return n
}

func TestRoom_DiskReserve_StopsGrowth(t *testing.T) {
	free := int64(100 << 30)
	f := newFixture(t, func(o *Options) { o.disk = func() (int64, int64, error) { return free, 200 << 30, nil } })
	f.write("a", "one")
	f.program(func() {})
	free = 1 << 20 // below the reserve
	f.write("a", "two")
	p := f.begin()
	f.write("a", "three")
	f.end(p)
	if n := p.NotKept(); n.Count != 1 || !slices.Equal(n.Named, []string{"a"}) {
		t.Errorf("got %+v", n)
	}
	if space := f.h.Space(); space.Left.Count != 1 {
		t.Errorf("got %+v", space)
	}
	free = 100 << 30
	p = f.begin()
	if n := p.NotKept(); n.Count != 0 {
		t.Errorf("got %+v with room again", n)
	}
	p.Drop()
}

func TestBaseline_LargeHome_TakesHalfOfTheRoom(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Room = 2 << 20 })
	for i := range 20 {
		f.write(fmt.Sprint("file", i), noise(uint64(i), 200<<10))
	}
	f.write("small", "1")
	f.keepAll()
	left, space := f.h.LeftOut(), f.h.Space()
	if len(left) != 1 || left[0].Why != reasons[noRoom] || space.Files+left[0].Files != 21 || space.Bytes > 1300<<10 {
		t.Errorf("got %+v, %+v", left, space)
	}
	p := f.begin()
	f.write("small", "2")
	f.end(p)
	if n := p.NotKept(); n.Count != 0 {
		t.Errorf("got %+v", n)
	}
}

func TestThin_OldVersions_AreDeleted(t *testing.T) {
	f := newFixture(t)
	f.write("a", noise(1, 1<<20))
	f.program(func() { f.write("a", noise(2, 1<<20)) })
	f.keepAll()
	f.program(func() { f.write("a", noise(3, 1<<20)) })
	f.keepAll()
	before := f.h.Space().Bytes
	f.pass(47 * time.Hour)
	f.check(f.h.Thin(context.Background()))
	if got := f.h.Space().Bytes; got < before {
		t.Errorf("%d of %d bytes are left within 48 hours", got, before)
	}
	f.pass(2 * time.Hour)
	f.check(f.h.Thin(context.Background()))
	if got := f.h.Space().Bytes; got > before*4/10 {
		t.Errorf("%d of %d bytes are left", got, before)
	}
	list, _, err := f.h.Versions("a", 0)
	f.check(err)
	if len(list) == 0 || list[0].NotKept != "" {
		t.Errorf("got %+v", list)
	}
	f.reopen()
	if got := f.version("a", 0); got != noise(3, 1<<20) {
		t.Error("the present version is gone")
	}
}

func TestVersion_ByAge_IsKeptDailyThenWeekly(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixNano() }
	const day = 24 * time.Hour
	for _, c := range []struct {
		name        string
		from, until time.Duration // times before now
		last        bool
		want        bool
	}{
		{"a minute yesterday", day + time.Minute, day, false, true},
		{"a minute three days ago", 3*day + time.Minute, 3 * day, false, false},
		{"a night three days ago", 3*day + 13*time.Hour, 3 * day, false, true},
		{"a minute three days ago, then deleted", 3*day + time.Minute, 3 * day, true, true},
		{"a night two months ago", 62*day + 13*time.Hour, 62 * day, false, false},
		{"two weeks two months ago", 74 * day, 60 * day, false, true},
		{"a minute two months ago, then deleted", 60*day + time.Minute, 60 * day, true, true},
		{"two years ago", 800 * day, 700 * day, true, false},
	} {
		v := version{from: ago(c.from), until: ago(c.until), isLast: c.last}
		if got := v.shouldKeep(now.UnixNano()); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

func TestHistory_AfterAYear_DropsOldPoints(t *testing.T) {
	f := newFixture(t)
	f.write("stays", "unchanged since the beginning")
	f.write("a", noise(1, 17<<20))
	f.program(func() { f.write("a", "small") })
	f.keepAll()
	f.program(func() { f.check(os.Remove(f.path("a"))) })
	f.pass(400 * 24 * time.Hour)
	f.check(f.h.deleteOld(context.Background()))
	if got := f.h.Space().Bytes; got > 4<<20 {
		t.Errorf("%d bytes are left", got)
	}
	f.close()
	f.check(os.Remove(f.history + "/" + indexName))
	f.open()
	if got := f.version("stays", 0); got != "unchanged since the beginning" {
		t.Errorf("got %q", got)
	}
	span := f.program(func() { f.check(os.Remove(f.path("stays"))) })
	if undone := f.undo(span, false, "undo 1"); f.read("stays") != "unchanged since the beginning" {
		t.Errorf("got %+v", undone)
	}
}

func TestTool_Hold_EndsAfter48Hours(t *testing.T) {
	f := newFixture(t)
	ref, err := f.h.Keep(context.Background(), noBytes{}, 10)
	f.check(err)
	f.pass(47 * time.Hour)
	f.check(f.h.Thin(context.Background()))
	_, _, err = f.h.ReadKept(ref.SHA256)
	f.check(err)
	f.pass(2 * time.Hour)
	f.check(f.h.Thin(context.Background()))
	if _, _, err := f.h.ReadKept(ref.SHA256); err == nil {
		t.Error("the bytes are still there")
	}
}
