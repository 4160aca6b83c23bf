package quota

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestPacer_AfterWork_RestsLonger: a slow count uses at most a twentieth of the time.
func TestPacer_AfterWork_RestsLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pacer{fast: 3}
		for range 3 {
			p.step(t.Context())
		}
		const worked = 10 * time.Millisecond
		p.since = time.Now()
		time.Sleep(worked)
		began := time.Now()
		for range 16 {
			if !p.step(t.Context()) {
				t.Fatal("the count was ended")
			}
		}
		if rested := time.Since(began); rested*5 < (rested+worked)*4 || rested != 19*worked {
			t.Errorf("rested %v after %v of work", rested, worked)
		}
	})
}

// TestPacer_NewRequest_EndsCount: the request stays, so that the next count answers it.
func TestPacer_NewRequest_EndsCount(t *testing.T) {
	wake := make(chan struct{}, 1)
	wake <- struct{}{}
	p := &pacer{yield: wake, put: wake, since: time.Now().Add(-time.Hour), steps: 15}
	if p.step(t.Context()) || len(wake) != 1 {
		t.Errorf("the count goes on, or the request is lost (%d)", len(wake))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p = (&pacer{since: time.Now().Add(-time.Hour), steps: 15}); p.step(ctx) {
		t.Error("the count goes on after its context")
	}
}

// excess is a report of Exceeded.
type excess struct{ bytes, files int64 }

// watched returns a quota that counts often while programs run, and its reports.
func watched(t *testing.T, o Options) (*Quota, *atomic.Bool, chan excess) {
	running, reports := new(atomic.Bool), make(chan excess, 100)
	o.WatchEvery, o.RunPrograms = time.Millisecond, running.Load
	o.Exceeded = func(bytes, files int64) {
		select {
		case reports <- excess{bytes, files}:
		default:
		}
	}
	return newQuota(t, o), running, reports
}

// TestWatch_ProgramPassesLimit_IsReported: a program passes the limit by bytes, or by many empty
// files.
func TestWatch_ProgramPassesLimit_IsReported(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		fill func(t *testing.T, q *Quota)
	}{
		"bytes": {Options{Limit: mib}, func(t *testing.T, q *Quota) { fill(t, q, "big", 2*mib) }},
		"files": {Options{FileLimit: 10}, func(t *testing.T, q *Quota) {
			for i := range 11 {
				fill(t, q, fmt.Sprint("sub/", i), 0)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			q, running, reports := watched(t, c.o)
			counted(t, q)
			running.Store(true)
			q.RecordProgramStart()
			c.fill(t, q)
			select {
			case got := <-reports:
				if got.bytes <= c.o.Limit && got.files <= c.o.FileLimit {
					t.Errorf("reported %+v", got)
				}
			case <-time.After(time.Minute):
				t.Fatal("no report")
			}
			wantMessage(t, q.CheckGrowth(1), "the folder holds ")
		})
	}
}

// TestWatch_ProgramDeletes_IsNotReported: a folder holds too much, but did not grow.
func TestWatch_ProgramDeletes_IsNotReported(t *testing.T) {
	q, running, reports := watched(t, Options{Limit: mib})
	fill(t, q, "a", 2*mib)
	fill(t, q, "b", 2*mib)
	counted(t, q)
	running.Store(true)
	q.RecordProgramStart()
	must(t, os.Remove(filepath.Join(q.options.Dir, "a")))
	for range 3 {
		counted(t, q)
	}
	if len(reports) != 0 {
		t.Errorf("reported %+v", <-reports)
	}
	if bytes, files, partial := q.Growth(t.Context(), time.Minute); bytes > -2*mib || files != -1 || partial {
		t.Errorf("grew by %d bytes and %d files, partial: %t", bytes, files, partial)
	}
}

// TestGrowth_EarlierProgramsFiles_DoNotCount: a count was requested before the start, so that it
// has the files of earlier programs.
func TestGrowth_EarlierProgramsFiles_DoNotCount(t *testing.T) {
	q, err := New(Options{Dir: t.TempDir(), Disk: freeDisk, Now: time.Now})
	must(t, err)
	defer q.Close()
	q.request()
	q.end(q.begin(), folderSize{bytes: 100, files: 1})
	q.request() // requests the count for the note about the earlier program
	q.RecordProgramStart()
	if _, _, partial := q.Growth(t.Context(), 0); !partial {
		t.Error("the growth is known before the count")
	}
	q.end(q.begin(), folderSize{bytes: 5000, files: 3})
	q.request()
	q.end(q.begin(), folderSize{bytes: 5007, files: 4})
	if bytes, files, partial := q.Growth(t.Context(), 0); bytes != 7 || files != 1 || !partial {
		t.Errorf("grew by %d bytes and %d files, partial: %t", bytes, files, partial)
	}
}

// TestReserve_Inodes_AreKept: the reserve is 5 % of the files that a disk has room for.
func TestReserve_Inodes_AreKept(t *testing.T) {
	for _, c := range []struct {
		disk  DiskSpace
		wants string
	}{
		{DiskSpace{Total: gib, Free: gib, Files: 1000, FreeFiles: 50}, ""},
		{DiskSpace{Total: gib, Free: gib, Files: 1000, FreeFiles: 49},
			"room for 49 more files of 1000, and 50 are kept free"},
		{DiskSpace{Total: gib, Free: gib, Files: 1000}, "room for 0 more files"},
		{DiskSpace{Total: gib, Free: gib}, ""}, // the file system makes inodes as it needs them
		{DiskSpace{Files: 10, Project: true}, ""},
	} {
		wantMessage(t, c.disk.shortage(1), c.wants)
		if c.disk.IsLow() != (c.wants != "") {
			t.Errorf("%+v is low: %t", c.disk, c.disk.IsLow())
		}
	}
}
