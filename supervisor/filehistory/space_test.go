package filehistory

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// The user is told once what the baseline lacks, after the size has stopped changing.
func TestMeasure_SettledBaseline_IsToldOnce(t *testing.T) {
	r := newRig(t)
	room := int64(1000)
	space := func(files, left int64, why ...protocol.NotKept) *protocol.HistorySpace {
		room-- // other bytes on the disk change it each time
		s := &protocol.HistorySpace{Bytes: 10 * files, Room: room, Files: files,
			Left: protocol.PathCount{Count: left, Named: nil}, Why: why}
		if len(why) == 0 {
			s.Waiting = left
		}
		return s
	}
	large, noRoom := protocol.NotKept{Reason: "too large", Count: 31}, protocol.NotKept{Reason: "no room", Count: 5760}
	w := watch{}
	for i, c := range []struct {
		space *protocol.HistorySpace
		told  int
		whole bool
	}{
		{space(1, 20000), 0, false}, {space(9000, 11001), 0, false}, {space(14210, 5791, large, noRoom), 0, false},
		{space(14210, 5791, large, noRoom), 1, true}, {space(14211, 5791, large, noRoom), 1, true},
		{space(14211, 5791, large, noRoom), 1, true},
	} {
		r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{Space: c.space}
		w = r.measure(t.Context(), "ann", w)
		size, ok, err := FindSize(t.Context(), r.Settings, "ann")
		if err != nil || !ok || size.Files != c.space.Files || size.Whole != c.whole || len(r.told) != c.told {
			t.Errorf("%d: %+v, %t, %v, told %q", i, size, ok, err, r.told)
		}
	}
	want := "ann " + noticeBaseline + ": " + fmt.Sprintf(textBaseline, "14,210", "20,001 files",
		"31 (too large), 5,760 (no room)")
	if !slices.Equal(r.told, []string{want}) {
		t.Errorf("told %q, want %q", r.told, want)
	}
	if wait := w.next.Sub(now); wait != laterInterval {
		t.Errorf("measured again after %s", wait)
	}
}

// A worker that does not answer keeps no other user from being measured.
func TestMeasureDue_HungWorker_IsLeft(t *testing.T) {
	r := newRig(t)
	r.measureWait, r.worker.busy = time.Millisecond, 1
	r.Running = func() []string { return []string{"bob", "ann"} }
	reports := 0
	r.Report = func(error) { reports++ }
	r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{Space: &protocol.HistorySpace{Files: 3}}
	r.measureDue(t.Context(), map[string]watch{})
	_, bob, _ := FindSize(t.Context(), r.Settings, "bob")
	size, ann, err := FindSize(t.Context(), r.Settings, "ann")
	if bob || !ann || err != nil || size.Files != 3 || reports != 1 {
		t.Errorf("bob: %t, ann: %t, %+v, %v, %d reports", bob, ann, size, err, reports)
	}
}

// A home whose files are all kept gets no notice, also not later.
func TestMeasure_AllKept_TellsNothing(t *testing.T) {
	r := newRig(t)
	w := watch{}
	for _, left := range []int64{0, 0, 7, 7} {
		r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{
			Space: &protocol.HistorySpace{Files: 3, Left: protocol.PathCount{Count: left}}}
		w = r.measure(t.Context(), "ann", w)
	}
	r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{
		Space: &protocol.HistorySpace{Off: "no room at all", Left: protocol.PathCount{Count: 7}}}
	r.measure(t.Context(), "ann", watch{})
	if len(r.told) != 0 {
		t.Errorf("told %q", r.told)
	}
	size, _, err := FindSize(t.Context(), r.Settings, "ann")
	if err != nil || size.Off == "" {
		t.Errorf("%+v, %v", size, err)
	}
}

// A fault of one measurement does not complete the baseline. The user is still told later.
func TestMeasure_PassingFault_TellsLater(t *testing.T) {
	r := newRig(t)
	w := watch{}
	for i, space := range []protocol.HistorySpace{{Off: "input/output error"},
		{Files: 3, Left: protocol.PathCount{Count: 7}, Waiting: 7}, {Off: "input/output error"},
		{Files: 9, Left: protocol.PathCount{Count: 1}}, {Files: 9, Left: protocol.PathCount{Count: 1}}} {
		r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{Space: &space}
		w = r.measure(t.Context(), "ann", w)
		if told := len(r.told); told != i/4 {
			t.Errorf("after measurement %d: told %q", i, r.told)
		}
	}
}

// A home in which a program writes all the time also gets a complete baseline. Without one, the
// worker is measured less and less often, so that an idle worker can end.
func TestMeasure_BusyHome_SettlesOrWaits(t *testing.T) {
	for name, waiting := range map[string]int64{"all kept": 0, "always one to keep": 1} {
		r := newRig(t)
		w, intervals := watch{}, []time.Duration(nil)
		for i := range int64(8) {
			r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{
				Space: &protocol.HistorySpace{Files: i, Left: protocol.PathCount{Count: 2}, Waiting: waiting}}
			w = r.measure(t.Context(), "ann", w)
			intervals = append(intervals, w.interval/time.Minute)
		}
		want, told := []time.Duration{1, 60, 60, 60, 60, 60, 60, 60}, 1
		if waiting > 0 {
			want, told = []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}, 0
		}
		if !slices.Equal(intervals, want) || len(r.told) != told {
			t.Errorf("%s: measured after %v minutes, told %q", name, intervals, r.told)
		}
	}
}

// A worker is measured at once, then each minute until nothing changes, then each hour. A failed
// measurement waits an hour. A worker that starts again is measured again.
func TestMeasureDue_RunningWorkers_AreMeasured(t *testing.T) {
	r := newRig(t)
	clock, running, faults := now, true, 0
	r.Now, r.Report = func() time.Time { return clock }, func(error) { faults++ }
	r.Running = func() []string {
		if running {
			return []string{"ann"}
		}
		return nil
	}
	r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{Space: &protocol.HistorySpace{Files: 3}}
	watched := map[string]watch{}
	look := func(after time.Duration, want int) {
		t.Helper()
		clock, r.worker.asked = clock.Add(after), nil
		if r.measureDue(t.Context(), watched); len(r.worker.asked) != want {
			t.Errorf("after %s: measured %d times, want %d", after, len(r.worker.asked), want)
		}
	}
	look(time.Minute, 1)
	look(time.Minute-1, 0)
	look(1, 1) // settled
	look(time.Hour-1, 0)
	look(1, 1)
	running = false
	look(time.Hour, 0)
	running = true
	look(time.Hour, 1)
	look(time.Minute, 1)
	r.worker.fails = "the worker is gone"
	look(time.Hour, 1)
	look(time.Hour-1, 0)
	r.off = "worker.history is 0B"
	look(time.Hour, 0)
	if faults != 1 {
		t.Errorf("%d faults reported", faults)
	}
}

// A user is told once of each workspace without a repository. The first program has run then.
func TestMeasure_NoRepository_TellsAfterProgram(t *testing.T) {
	r := newRig(t)
	var wanted []string
	notices := map[string]bool{}
	r.TellOnce = func(_ context.Context, user, name, text string) {
		if !notices[name] {
			notices[name], r.told = true, append(r.told, user+" "+text)
		}
	}
	r.Workspaces = func(string) []string { return []string{"/workspaces/site", "/workspaces/code", "/workspaces/new"} }
	r.worker.results[protocol.FileHistorySpace] = protocol.FileHistoryResult{
		Space: &protocol.HistorySpace{Files: 3, NoRepository: []string{"/workspaces/site", "/workspaces/new"}}}
	for _, ran := range []bool{false, true, true} {
		if ran {
			program := supervisor.Effect{User: "ann", Kind: kindRun, Target: "make"}
			if err := r.Effects.Put(t.Context(), program); err != nil {
				t.Fatal(err)
			}
			wanted = []string{"ann " + fmt.Sprintf(textNoRepository, "`/workspaces/site`"),
				"ann " + fmt.Sprintf(textNoRepository, "`/workspaces/new`")}
		}
		if r.measure(t.Context(), "ann", watch{}); !slices.Equal(r.told, wanted) {
			t.Errorf("a program ran: %v; told %q", ran, r.told)
		}
		if asked := r.worker.last().Workspaces; len(asked) != 3 {
			t.Errorf("asked about %q", asked)
		}
	}
	if size, _, err := FindSize(t.Context(), r.Settings, "ann"); err != nil || size.NoRepository != nil {
		t.Errorf("stored is %+v, %v", size, err)
	}
}
