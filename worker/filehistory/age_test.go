package filehistory

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mews/protocol"
)

const day = 24 * time.Hour

// TestClock_JumpsAhead_DeletesNothing sets the clock ahead by a year, and back.
func TestClock_JumpsAhead_DeletesNothing(t *testing.T) {
	f := newFixture(t)
	f.write("a", noise(1, 1<<20))
	f.program(func() { f.write("a", noise(2, 1<<20)) })
	f.keepAll()
	f.program(func() { f.write("a", "small") })
	ref, err := f.h.Keep(context.Background(), noBytes{}, 10)
	f.check(err)
	before := f.h.Space().Bytes
	f.jump(365 * day)
	f.check(f.h.Thin(context.Background()))
	f.check(f.h.deleteOld(context.Background()))
	if got := f.h.Space().Bytes; got < before {
		t.Errorf("%d of %d bytes are left", got, before)
	}
	_, _, err = f.h.ReadKept(ref.SHA256)
	f.check(err)
	f.program(func() { f.write("a", "in a year") })
	f.jump(-365 * day)
	f.pass(time.Hour)
	f.program(func() { f.write("a", "now") })
	f.keepAll()
	point, err := f.h.FindPoint(f.time())
	f.check(err)
	if got := f.version("a", point); got != "now" {
		t.Errorf("got %q", got)
	}
	f.jump(365 * day)
	f.check(f.h.Thin(context.Background()))
	f.pass(confirmAfter)
	f.check(f.h.Thin(context.Background())) // the jump has lasted for confirmAfter
	if got := f.h.Space().Bytes; got > before/2 {
		t.Errorf("%d of %d bytes are left", got, before)
	}
}

// TestDelete_OnlyVersion_StaysForAYear: the file existed between two borders of weeks.
func TestDelete_OnlyVersion_StaysForAYear(t *testing.T) {
	f := newFixture(t)
	f.program(func() { f.write("big", noise(1, 20<<20)) })
	f.keepAll()
	f.program(func() { f.check(os.Remove(f.path("big"))) })
	point := f.lastPoint() - 1
	f.pass(300 * day)
	f.check(f.h.deleteOld(context.Background()))
	if got := f.version("big", point); got != noise(1, 20<<20) {
		t.Errorf("got %d bytes", len(got))
	}
}

// TestThin_DeletedPath_StaysDeleted rebuilds the index of a thinned history. A path in it was
// deleted and made again before.
func TestThin_DeletedPath_StaysDeleted(t *testing.T) {
	f := newFixture(t)
	f.write("other", "shared bytes")
	f.program(func() { f.write("a", "shared bytes") })
	f.keepAll()
	f.program(func() { f.write("a", "lost") })
	f.keepAll()
	lost := f.lastPoint()
	f.program(func() { f.check(os.Remove(f.path("a"))) })
	f.program(func() { f.write("b", "1") })
	f.pass(3 * day)
	f.check(f.h.Thin(context.Background()))
	f.close()
	f.check(os.Remove(f.history + "/" + indexName))
	f.open()
	before := f.lastPoint()
	f.check(f.h.Scan(context.Background()))
	if f.lastPoint() != before {
		t.Error("the deletion was found again")
	}
	f.program(func() { f.write("a", "today's") })
	result, err := f.h.Restore(context.Background(), RestoreRequest{Path: "a", Point: lost}, undoBy("restore 1"))
	f.check(err)
	if result.NotKept.Count != 1 || f.read("a") != "today's" {
		t.Errorf("got %+v, %q", result, f.read("a"))
	}
}

// TestPrune_PointsAndHolds_Leave: empty points go after a year, holds after 48 hours.
func TestPrune_PointsAndHolds_Leave(t *testing.T) {
	f := newFixture(t)
	f.write("stays", "1")
	began := f.time()
	for i := range 20 {
		f.program(func() { f.write("a", fmt.Sprint(i)) })
		f.pass(time.Hour)
	}
	_, err := f.h.Keep(context.Background(), noBytes{}, 10)
	f.check(err)
	if got := f.h.Space().Oldest; !got.Equal(began) {
		t.Errorf("oldest is %v", got)
	}
	f.pass(400 * day)
	f.program(func() { f.write("b", "1") })
	last := f.time()
	f.check(f.h.Thin(context.Background()))
	f.check(f.h.deleteOld(context.Background()))
	f.check(f.h.do(func(s *store) error {
		if len(s.index.points) > 2 || len(s.index.holds) > 0 {
			t.Errorf("%d points and %d holds are left", len(s.index.points), len(s.index.holds))
		}
		return nil
	}))
	if got := f.h.Space().Oldest; !got.Equal(last) {
		t.Errorf("oldest is %v", got)
	}
	f.reopen()
	if got := f.version("stays", 0); got != "1" {
		t.Errorf("got %q", got)
	}
}

// TestRoom_RecordsOfChanges_AreThinned makes many files in a folder that is left out.
func TestRoom_RecordsOfChanges_AreThinned(t *testing.T) {
	f := newFixture(memoryTB{t}, func(o *Options) { o.Room = 3 << 20 })
	f.write("diary", "dear diary")
	for i := range 6 {
		f.program(func() {
			for j := range 3000 {
				f.write(fmt.Sprintf("node_modules/%d/%s", i, noiseName(uint64(i*10_000+j))), "")
			}
		})
		f.program(func() { f.check(os.RemoveAll(f.path("node_modules"))) })
	}
	f.pass(3 * day)
	if p := f.h.Space(); p.Bytes < 2<<20 {
		t.Fatalf("the records take only %d bytes", p.Bytes)
	}
	f.program(func() { f.write("photo", noise(1, 1<<20)) })
	f.keepAll()
	p := f.begin()
	f.check(os.Remove(f.path("photo")))
	f.end(p)
	if n := p.NotKept(); n.Count != 0 {
		t.Errorf("got %+v", n)
	}
}

// noiseName returns a name that can't be compressed well.
func noiseName(seed uint64) string {
	return strings.ToValidUTF8(fmt.Sprintf("%x", noise(seed, 40)), "x")
}

// TestRoom_LongPoint_LeavesReserve: a point that would use up the disk's reserve is refused.
func TestRoom_LongPoint_LeavesReserve(t *testing.T) {
	free := int64(100 << 30)
	f := newFixture(memoryTB{t}, func(o *Options) {
		o.disk = func() (int64, int64, error) { return free, 200 << 30, nil }
	})
	f.program(func() { f.write("a", "1") })
	before := f.h.Space().Bytes
	free = protocol.DiskReserve(200<<30) + 1<<20
	p := f.begin()
	list := make([]change, 0, 100_000)
	for i := range cap(list) {
		list = append(list, change{path: noiseName(uint64(i)), after: entry{kind: file, why: isExcluded, size: 1}})
	}
	f.check(f.h.do(func(s *store) error {
		if _, err := s.appendPoint(point{}, list); err == nil {
			t.Error("the point was accepted")
		}
		_, err := s.appendPoint(point{}, list[:100])
		return err
	}))
	p.Drop()
	if got := f.h.Space().Bytes; got > before+smallPoint {
		t.Errorf("the history grew by %d bytes", got-before)
	}
}

// TestMakeRoom_Repeated_FreesMore adds more bytes at one point than one call makes room for.
func TestMakeRoom_Repeated_FreesMore(t *testing.T) {
	f := newFixture(memoryTB{t}, func(o *Options) { o.Room = 16 << 20 })
	for i := range 12 {
		f.program(func() { f.write("book", noise(uint64(i), 1<<20)) })
		f.keepAll()
		f.pass(20 * time.Hour)
	}
	for i := range 9 {
		f.write(fmt.Sprint("photo", i), noise(uint64(100+i), 1<<20))
	}
	p := f.begin()
	if n := p.NotKept(); n.Count != 0 {
		t.Errorf("got %+v", n)
	}
	p.Drop()
}
