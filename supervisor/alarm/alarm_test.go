package alarm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
)

// rig is alarms with one check, and what they told.
type rig struct {
	o    Options
	mu   sync.Mutex // guards the fields below
	disk string
	told []string
	sent []Message
	fail error
	beat atomic.Int64
}

func newRig(t *testing.T) *rig {
	r := &rig{}
	r.o = Options{File: filepath.Join(t.TempDir(), "alarms.json"), Now: time.Now, Log: hclog.NewNullLogger(),
		Checks: map[Name]func(context.Context) string{
			Memory: func(context.Context) string { r.mu.Lock(); defer r.mu.Unlock(); return r.disk },
		},
		Tell: func(text string, _ bool) { r.mu.Lock(); defer r.mu.Unlock(); r.told = append(r.told, text) },
		Send: func(_ context.Context, m Message) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.fail == nil {
				r.sent = append(r.sent, m)
			}
			return r.fail
		},
		Beat:  func(context.Context) error { r.beat.Add(1); return nil },
		Ready: func(context.Context) bool { return true },
	}
	return r
}

func (r *rig) set(details string) { r.mu.Lock(); r.disk = details; r.mu.Unlock() }

func (r *rig) failWith(err error) { r.mu.Lock(); r.fail = err; r.mu.Unlock() }

// take returns what the admins were told since the last call.
func (r *rig) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := strings.Join(r.told, " | ")
	r.told = nil
	return all
}

// run runs alarms during a function.
func (r *rig) run(t *testing.T, during func(a *Alarms)) {
	a := New(r.o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	synctest.Wait()
	during(a)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// pass lets checks pass.
func pass(checks int) {
	time.Sleep(time.Duration(checks)*checkInterval + time.Second)
	synctest.Wait()
}

const (
	low  = "This machine has little memory left: 1 MiB. "
	over = endedMemory
)

// TestAlarm_Condition_IsToldOnceWithEnd: three checks raise an alarm, three end it, and a restart
// does not tell it again.
func TestAlarm_Condition_IsToldOnceWithEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run(t, func(a *Alarms) {
			r.set("1 MiB")
			pass(2)
			if told := r.take(); told != "" || a.Raised()[Memory] {
				t.Errorf("after two checks: %q", told)
			}
			pass(1)
			if told := r.take(); told != low+remedyMemory || !a.Raised()[Memory] {
				t.Errorf("after three checks: %q", told)
			}
			pass(20)
		})
		r.run(t, func(a *Alarms) {
			pass(20)
			if told := r.take(); told != "" || !a.Raised()[Memory] {
				t.Errorf("after a restart: %q", told)
			}
			r.set("")
			pass(Patience)
			if told := r.take(); told != over || a.Raised()[Memory] {
				t.Errorf("at the end: %q", told)
			}
		})
		if len(r.sent) != 2 || r.sent[0].Ended || !r.sent[1].Ended {
			t.Errorf("sent: %+v", r.sent)
		}
	})
}

// TestAlarm_Flapping_IsToldRarely: a condition that comes and goes is told once in ten minutes.
func TestAlarm_Flapping_IsToldRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run(t, func(*Alarms) {
			for range 5 {
				r.set("1 MiB")
				pass(Patience)
				r.set("")
				pass(Patience)
			}
		})
		if told := r.take(); told != low+remedyMemory+" | "+over {
			t.Errorf("told: %q", told)
		}
	})
}

// TestReport_OwnText_IsToldOnce: a part reports with its own texts, and its check may end the alarm.
func TestReport_OwnText_IsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run(t, func(a *Alarms) {
			a.End(Telegram, "never")
			a.Report(Telegram, "it is gone")
			a.Report(Telegram, "it is gone still")
			if a.IsHealthy() {
				t.Error("it is healthy")
			}
			a.End(Telegram, "it is back")
			pass(1)
		})
		if told := r.take(); told != "it is gone | it is back" || len(r.sent) != 2 {
			t.Errorf("told: %q, sent: %+v", told, r.sent)
		}
	})
}

// TestSend_KillBefore_IsSentLater: a kill after an alarm was kept, and before the URL has taken it. The
// next run sends it, once, and does not raise it again.
func TestSend_KillBefore_IsSentLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.set("1 MiB")
		r.failWith(errors.New("no network"))
		atKill := filepath.Join(t.TempDir(), "alarms.json")
		r.run(t, func(*Alarms) {
			pass(Patience)
			text, err := os.ReadFile(r.o.File)
			if err == nil {
				err = os.WriteFile(atKill, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		r.take()
		r.o.File = atKill
		r.failWith(nil)
		for range 2 {
			r.run(t, func(*Alarms) { pass(2 * Patience) })
		}
		if want := (Message{Memory, low + remedyMemory, false}); len(r.sent) != 1 || r.sent[0] != want {
			t.Errorf("sent: %+v", r.sent)
		}
		if told := r.take(); told != "" {
			t.Errorf("told again: %q", told)
		}
	})
}

// TestSend_ServerFails_IsRepeated: what the URL does not take is sent again, in order. A refusal is
// not repeated.
func TestSend_ServerFails_IsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run(t, func(a *Alarms) {
			r.failWith(errors.New("no network"))
			a.Report(Telegram, "one")
			a.End(Telegram, "two")
			pass(10)
			r.failWith(nil)
			pass(60)
			r.failWith(&refusal{404})
			a.Report(Disk, "three")
			pass(1)
			r.failWith(nil)
			a.End(Disk, "four")
			pass(60)
		})
		var texts []string
		for _, m := range r.sent {
			texts = append(texts, m.Text)
		}
		if want := []string{"one", "two", "four"}; !slices.Equal(texts, want) {
			t.Errorf("sent: %q", texts)
		}
	})
}

// TestHeartbeat_SevereAlarm_StopsIt: the heartbeat comes every five minutes, and not during a severe
// alarm.
func TestHeartbeat_SevereAlarm_StopsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.run(t, func(a *Alarms) {
			if n := r.beat.Load(); n != 1 {
				t.Errorf("%d at the start", n)
			}
			time.Sleep(2*beatInterval + time.Second)
			synctest.Wait()
			if n := r.beat.Load(); n != 3 {
				t.Errorf("%d after ten minutes", n)
			}
			a.Report(Database, "full")
			time.Sleep(3 * beatInterval)
			synctest.Wait()
			if n := r.beat.Load(); n != 3 {
				t.Errorf("%d during an alarm", n)
			}
			a.End(Database, "fine")
			pass(1)
			if n := r.beat.Load(); n != 4 {
				t.Errorf("%d after the alarm", n)
			}
		})
	})
}

// TestHeartbeat_HangingCheck_StopsIt: without rounds of checks, nothing says that all is well.
func TestHeartbeat_HangingCheck_StopsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		hangs := make(chan struct{})
		r.o.Checks[Loop] = func(context.Context) string { <-hangs; return "" }
		r.run(t, func(*Alarms) {
			time.Sleep(3 * beatInterval)
			synctest.Wait()
			if n := r.beat.Load(); n != 1 {
				t.Errorf("%d while a check hangs", n)
			}
			close(hangs)
			pass(2)
			if n := r.beat.Load(); n != 2 {
				t.Errorf("%d after that", n)
			}
		})
	})
}

// TestCheck_Hanging_DoesNotStopOthers: a check that waits until its context ends counts, and the
// others run too.
func TestCheck_Hanging_DoesNotStopOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.o.Checks[Drain] = func(ctx context.Context) string { <-ctx.Done(); return "it hangs" }
		r.set("1 MiB")
		r.run(t, func(a *Alarms) {
			pass(3 * Patience)
			if all := a.Raised(); !all[Memory] || !all[Drain] {
				t.Errorf("raised: %v", all)
			}
		})
	})
}

// TestAlarm_EndedInFuture_IsToldAgain: a clock that was ahead keeps no alarm back.
func TestAlarm_EndedInFuture_IsToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		now := time.Now()
		r.o.Now = func() time.Time { return now }
		r.run(t, func(a *Alarms) {
			now = now.Add(48 * time.Hour)
			a.Report(Memory, "one")
			a.End(Memory, "two")
			now = now.Add(-48 * time.Hour)
			r.set("1 MiB")
			pass(Patience)
		})
		if told := r.take(); told != "one | two | "+low+remedyMemory {
			t.Errorf("told: %q", told)
		}
	})
}

// TestKeep_FailedWrite_IsRepeated: an alarm whose file can't be written is kept as soon as it can.
func TestKeep_FailedWrite_IsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		folder := filepath.Join(filepath.Dir(r.o.File), "later")
		r.o.File = filepath.Join(folder, "alarms.json")
		r.run(t, func(a *Alarms) {
			a.Report(Telegram, "it is gone")
			pass(1)
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			pass(1)
			if !New(r.o).Raised()[Telegram] {
				t.Error("the alarm was not kept")
			}
		})
	})
}

// TestHeartbeat_FaultOfOnePerson_GoesOn: one person's worker or key does not stop the heartbeat.
func TestHeartbeat_FaultOfOnePerson_GoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newRig(t).run(t, func(a *Alarms) {
			a.Report(Walls, "one")
			a.Report(Model, "two")
			if !a.IsHealthy() {
				t.Error("it is not healthy")
			}
		})
	})
}

// TestTable_EachRow_HasTexts: each condition has words, a remedy and an end.
func TestTable_EachRow_HasTexts(t *testing.T) {
	seen := map[Name]bool{}
	for _, r := range Table() {
		if r.Words == "" || r.Remedy == "" || r.Ended == "" || strings.Count(r.Words, "%s") != 1 || seen[r.Name] {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
	}
}
