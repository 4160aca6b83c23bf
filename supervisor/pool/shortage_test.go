package pool

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol/spawnwire"
)

// TestShortage_IsNotCountedAsDeath checks that a worker is requested again until the machine has
// room. A shortage does not count as a death, and requests keep waiting. In this test one death
// would open the breaker.
func TestShortage_IsNotCountedAsDeath(t *testing.T) {
	t.Parallel()
	timings := quick()
	timings.Shortage = time.Millisecond
	for _, user := range []string{"short", "crashes"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, timings, user)
			if err := echo(t, r.acquire(user), "after all"); err != nil {
				t.Error(err)
			}
			if s := r.status(user); s.Deaths != 0 || s.State != StateBusy {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestShortage_ThirdInARow_IsReportedOnce checks that the third shortage in a row is reported, and
// no other. A successful start resets the count.
func TestShortage_ThirdInARow_IsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		o := Options[*testHost]{Log: hclog.NewNullLogger(), Now: time.Now, Timings: Timings{}.withDefaults(),
			OnLimit: func(user string, hit spawnwire.LimitHitMessage) {
				if user != "ann" || hit.Kind != LimitMachineShortage {
					t.Errorf("%s: %+v", user, hit)
				}
				told++
			}}
		m := newManagedWorker(specOf("/", "ann"), &o)
		var got []int
		for range 5 {
			m.state = StateStopping
			m.short(m.log)
			if m.state != StateBackoff || m.due == nil {
				t.Errorf("state %s", m.state)
			}
			began := time.Now()
			<-m.timer.C
			if wait := time.Since(began); wait != time.Second {
				t.Errorf("asked for again after %v", wait)
			}
			got = append(got, told)
		}
		if diff := cmp.Diff([]int{0, 0, 1, 1, 1}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestIsShortage_OtherEndReason_IsFalse checks that shortages of the machine are distinguished from
// other causes of an end.
func TestIsShortage_OtherEndReason_IsFalse(t *testing.T) {
	exit := func(status int) syscall.WaitStatus { return syscall.WaitStatus(status << 8) }
	for name, c := range map[string]struct {
		child  *child // nil means that no child was requested
		reason error
		short  bool // whether standard error reported a shortage
		ready  bool
		want   bool
	}{
		"the supervisor has no descriptor": {nil, fmt.Errorf("make a pipe: %w", syscall.EMFILE), false, false, true},
		"there is no spawner":              {nil, errNoSpawner, false, false, false},
		"the spawner had no process": {&child{err: &StartRefusedError{"fork: EAGAIN", errSpawnerRefused, true}},
			nil, false, false, true},
		"the home is another's": {&child{err: &StartRefusedError{"it belongs to uid 7", errSpawnerRefused,
			false}}, nil, false, false, false},
		"stage one found no room": {&child{status: exit(spawnwire.ShortageExitStatus)}, nil, false, false,
			true},
		"the runtime found none":          {&child{status: exit(2)}, nil, true, false, true},
		"it crashed":                      {&child{status: exit(2)}, nil, false, false, false},
		"the socket could not be watched": {&child{status: exit(1)}, fmt.Errorf("handshake: read: %w", syscall.EAGAIN), false, false, true},
		"a worker that runs says so": {&child{status: exit(spawnwire.ShortageExitStatus)}, nil, true, true,
			false},
	} {
		p := newProcess(newManagedWorker(specOf("/", "ann"), &Options[*testHost]{Log: hclog.NewNullLogger(),
			Now: time.Now}))
		p.short, p.ready = c.short, c.ready
		p.stop(c.reason)
		err := p.endError(c.child)
		var end *WorkerEndError
		if !errors.As(err, &end) || end.Shortage != c.want {
			t.Errorf("%s: %+v, want a shortage: %t", name, end, c.want)
		}
	}
}
