package filereminder

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
)

// version is an item of a home at one time. A moved item is another version.
type version struct {
	protocol.FileReminder
	live bool // a stored report has the version, it was not due then, and it is not said
	said bool
}

// home is the model of a user's files.
type home struct {
	*rig
	user     string
	items    map[string]*version // by the item's id
	all      []*version
	reported []*version // the versions in the report that was received last
	waits    bool       // that report is not stored yet
}

// TestReminders_KillsAndMoves_SayEachOnce runs a home with moved and removed items through kills,
// failures, changes of the clocks and journeys. Each version of an item is said once, at its time.
func TestReminders_KillsAndMoves_SayEachOnce(t *testing.T) {
	r, n := newRig(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		r.zone = "Europe/Madrid"
		// two days before the clocks change in Madrid and in Santiago
		r.now = time.Date(2027, 3, 26, 20, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.SampledFrom([]int{0, 7,
			217}).Draw(rt, "start"))
		h := &home{rig: r, user: fmt.Sprintf("user%d", n), items: map[string]*version{}}
		r.restart()
		rt.Repeat(map[string]func(*rapid.T){
			"add": h.add, "move": h.move, "remove": h.remove, "report": h.sendReport, "kill": h.kill, "fail": h.fail,
			"travel": h.travel, "sleep": h.sleep, "pass": h.pass, "": h.check,
		})
	})
}

// put gives an item another time, within three days of now.
func (h *home) put(rt *rapid.T, id string) {
	if len(h.all) >= 18 { // a day has at most 20 reminders
		rt.Skip()
	}
	minutes := rapid.IntRange(-300, 3*24*60).Draw(rt, "minutes")
	at := h.now.Add(time.Duration(minutes) * time.Minute).Truncate(time.Minute)
	at = at.Add(time.Duration(len(h.all)) * time.Second)
	title := fmt.Sprintf("%s-%d.", h.user, len(h.all))
	var item protocol.FileReminder
	switch rapid.IntRange(0, 2).Draw(rt, "kind") {
	case 0:
		item = due(id, protocol.WallTime(at.In(h.location())), title)
	case 1:
		item = alarm(id, protocol.WallTime(at.In(h.location())), time.Hour, title)
	case 2:
		item = alarm(id, protocol.InstantTime(at), -time.Minute, title)
	}
	if was := h.items[id]; was != nil && was.File != item.File {
		rt.Skip()
	}
	h.items[id] = &version{FileReminder: item}
	h.all = append(h.all, h.items[id])
}

func (h *home) add(rt *rapid.T) { h.put(rt, fmt.Sprint(len(h.all)+1)) }

func (h *home) move(rt *rapid.T) {
	if len(h.items) == 0 {
		rt.Skip()
	}
	h.put(rt, rapid.SampledFrom(slices.Sorted(maps.Keys(h.items))).Draw(rt, "item"))
}

func (h *home) remove(rt *rapid.T) {
	if len(h.items) == 0 {
		rt.Skip()
	}
	delete(h.items, rapid.SampledFrom(slices.Sorted(maps.Keys(h.items))).Draw(rt, "item"))
}

func (h *home) dueAt(v *version) time.Time { return dueAt(v.FileReminder, h.location()) }

// sendReport lets the worker report. The report is stored with the next run.
func (h *home) sendReport(*rapid.T) {
	p := protocol.ReminderReport{From: h.now.AddDate(0, 0, -7).Unix(), Until: h.now.AddDate(0, 0, 35).Unix(),
		Files: []protocol.ReminderFile{{Path: protocol.TodoFile}, {Path: protocol.CalendarFile}}}
	h.reported, h.waits = nil, true
	for _, id := range slices.Sorted(maps.Keys(h.items)) {
		p.Items, h.reported = append(p.Items, h.items[id].FileReminder), append(h.reported, h.items[id])
	}
	if err := p.Validate(); err != nil {
		h.Fatal(err)
	}
	h.Receive(h.user, p)
}

// kill makes new reminders. The worker starts anew, and reports.
func (h *home) kill(rt *rapid.T) {
	h.restart()
	h.waits = false
	if rapid.Bool().Draw(rt, "reports") {
		h.sendReport(rt)
	}
}

// fail lets a run fail.
func (h *home) fail(*rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = h.SendDue(ctx) // it must only change nothing that is said
}

func (h *home) travel(rt *rapid.T) {
	h.zone = rapid.SampledFrom([]string{"Europe/Madrid", "America/New_York", "Asia/Tokyo",
		"America/Santiago"}).Draw(rt, "zone")
	h.runOnce()
}

// sleep lets time pass while the service is down.
func (h *home) sleep(rt *rapid.T) {
	h.now = h.now.Add(time.Duration(rapid.IntRange(1, 30*60).Draw(rt, "minutes")) * time.Minute)
	h.kill(rt)
	h.runOnce()
}

func (h *home) pass(rt *rapid.T) {
	end := h.now.Add(time.Duration(rapid.IntRange(1, 12*60).Draw(rt, "minutes")) * time.Minute)
	for h.now.Before(end) {
		next, any := h.NextDue()
		if !any || next.After(end) {
			next = end
		}
		if next.After(h.now) {
			h.now = next
		} else {
			h.now = h.now.Add(time.Second)
		}
		h.runOnce()
	}
}

// runOnce runs the reminders, and tells the model what they must do.
func (h *home) runOnce() {
	p := h.reports[h.user]
	stores := h.waits && p.waits && (h.now.Sub(p.stored) >= reportGap || p.stored.After(h.now))
	if stores {
		h.waits = false
		for _, v := range h.all {
			reported := slices.Contains(h.reported, v)
			v.live = reported && !v.said && (v.live || !h.dueAt(v).Before(h.now))
		}
	}
	if err := h.SendDue(context.Background()); err != nil {
		h.Fatal(err)
	}
	for _, v := range h.all {
		if v.live && !h.dueAt(v).After(h.now) {
			v.live, v.said = false, true
		}
	}
}

// check compares the model with what was said.
func (h *home) check(rt *rapid.T) {
	texts := h.rig.said(h.user)
	for _, v := range h.all {
		want := 0
		if v.said {
			want = 1
		}
		if got := count(texts, v.Title); got != want {
			rt.Fatalf("%s at %s, due %s, now %s in %s: said %d times, want %d\n%q", v.Title, v.At, h.dueAt(v), h.now,
				h.zone, got,
				want, texts)
		}
	}
}

// TestDueAt_ClockChange_HasOneMoment: a time that the clocks skip comes when they have been set,
// and one that exists twice comes once.
func TestDueAt_ClockChange_HasOneMoment(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at, want string
		lead     int64
	}{
		{"2027-03-28T01:59:59", "2027-03-28T00:59:59Z", 0},
		{"2027-03-28T02:30:00", "2027-03-28T01:00:00Z", 0},
		{"2027-03-28T03:00:00", "2027-03-28T01:00:00Z", 0},
		{"2027-03-28T03:00:00", "2027-03-28T00:45:00Z", 900},
		{"2027-10-31T02:30:00", "2027-10-31T00:30:00Z", 0},
		{"2027-10-31T03:00:00", "2027-10-31T02:00:00Z", 0},
		{"2027-10-31T09:00:00", "2027-10-30T08:00:00Z", 86400},
		{"2027-10-31T09:00:00Z", "2027-10-31T09:00:00Z", 0},
	} {
		got := dueAt(protocol.FileReminder{At: c.at, Lead: c.lead}, zone)
		if got.UTC().Format(time.RFC3339) != c.want {
			t.Errorf("%s less %d s: %s, want %s", c.at, c.lead, got.UTC(), c.want)
		}
	}
}
