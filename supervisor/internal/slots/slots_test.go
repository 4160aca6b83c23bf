package slots

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

func (p *Slot) in() bool {
	select {
	case <-p.Granted():
		return true
	default:
		return false
	}
}

// callers makes random requests and releases of slots.
type callers struct {
	*Slots
	size    int
	inside  []*Slot
	waiting []*Slot                   // requests without a slot, in the order of requesting
	passed  map[string]map[string]int // number of slots that each user got while another user waits
}

// check finds new grants and checks them. There are never too many granted slots, and no slot is
// free while a request waits. Each user's requests are granted in order. No user gets two slots
// while another user waits.
func (p *callers) check(t *rapid.T) {
	for i, one := range p.waiting {
		if !one.in() {
			continue
		}
		if earlier := slices.IndexFunc(p.waiting, func(o *Slot) bool { return o.person == one.person }); earlier != i {
			t.Fatalf("%s's later call was let in first", one.person)
		}
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.inside = append(p.inside, one)
		p.count(t, one.person)
		break
	}
	if n := len(p.inside); n > p.size || n < p.size && len(p.waiting) > 0 || len(p.running) != n {
		t.Fatalf("%d of %d inside, %d wait, room for %d", n, p.size, len(p.waiting), p.size-len(p.running))
	}
}

func (p *callers) leave() {
	p.inside[0].Release()
	p.inside = p.inside[1:]
}

func (p *callers) count(t *rapid.T, in string) {
	delete(p.passed, in)
	for other, n := range p.passed {
		if n[in]++; n[in] > 1 {
			t.Fatalf("%s was let in twice before %s", in, other)
		}
	}
	p.watch()
}

// watch starts counting for users who wait, and stops for users who do not.
func (p *callers) watch() {
	now := map[string]map[string]int{}
	for _, one := range p.waiting {
		if now[one.person] = p.passed[one.person]; now[one.person] == nil {
			now[one.person] = map[string]int{}
		}
	}
	p.passed = now
}

func TestRequestSlot_SeveralUsers_TakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 3).Draw(t, "size")
		p := &callers{Slots: New(size), size: size}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				if one := p.RequestSlot(rapid.SampledFrom([]string{"ann", "bob", "cid"}).Draw(t, "who")); one.in() {
					p.inside = append(p.inside, one)
				} else {
					p.waiting = append(p.waiting, one)
					p.watch()
				}
			},
			"leave": func(t *rapid.T) {
				if len(p.inside) == 0 {
					t.Skip("nobody is inside")
				}
				p.leave()
			},
			"give up": func(t *rapid.T) {
				if len(p.waiting) == 0 {
					t.Skip("nobody waits")
				}
				at := rapid.IntRange(0, len(p.waiting)-1).Draw(t, "which")
				p.waiting[at].Release()
				p.waiting = slices.Delete(p.waiting, at, at+1)
				p.watch()
			},
			"": p.check,
		})
		for len(p.inside) > 0 {
			p.leave()
			p.check(t)
		}
		if len(p.userTurns)+p.CountWaiting()+len(p.waiting)+len(p.running) != 0 {
			t.Fatalf("left behind: %+v", p.Slots)
		}
	})
}

// A slot whose request is cancelled just as it is granted is not lost.
func TestAcquire_CancelledAtOnce_LosesNoSlot(t *testing.T) {
	for range 200 {
		f := New(1)
		first, err := f.Acquire(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			second, err := f.Acquire(ctx, "bob")
			if err == nil {
				second.Release()
			}
			left <- err
		}()
		go cancel()
		first.Release()
		<-left
		if len(f.running)+len(f.userTurns) != 0 {
			t.Fatalf("the room is lost: %+v", f)
		}
	}
}

func TestRequestSlot_NoUser_WaitsForAllUsers(t *testing.T) {
	s := New(1)
	runs, nobodys, again, bobs := s.RequestSlot("alice"), s.RequestSlot(""), s.RequestSlot("alice"),
		s.RequestSlot("bob")
	for _, next := range []*Slot{again, bobs, nobodys} {
		if next.in() {
			t.Errorf("%q is in too early", next.person)
		}
		runs.Release()
		if runs = next; !runs.in() {
			t.Errorf("%q is not in", next.person)
		}
	}
}

func TestRequestSlot_UserAtLimit_OthersPass(t *testing.T) {
	s := NewWithUserLimit(3, 1)
	anns, again, bobs := s.RequestSlot("ann"), s.RequestSlot("ann"), s.RequestSlot("bob")
	if !anns.in() || again.in() || !bobs.in() {
		t.Error("ann has not exactly one slot beside bob's")
	}
	anns.Release()
	if !again.in() {
		t.Error("ann's second waits for nothing")
	}
}

func TestRequestSlot_WithRanks_LowestGoesFirst(t *testing.T) {
	s := NewWithUserLimit(1, 1)
	runs, long, older, short := s.RequestSlot(
		"ann",
		9,
		1,
	), s.RequestSlot(
		"bob",
		60,
		2,
	), s.RequestSlot(
		"cid",
		5,
		3,
	), s.RequestSlot(
		"ann",
		5,
		4,
	)
	if !runs.IsWanted() || s.CountWaiting() != 3 {
		t.Error("nobody wants the slot of the long one")
	}
	for i, next := range []*Slot{older, short, long} {
		runs.Release()
		runs = next
		if !next.in() {
			t.Fatalf("number %d is not in", i)
		}
	}
	if runs.IsWanted() {
		t.Error("somebody wants the last slot")
	}
}

// A user at the limit can't get a slot of another user, whatever the rank. So only the user's own
// slot is wanted.
func TestSlotIsWanted_OtherUserAtLimit_IsFalse(t *testing.T) {
	s := NewWithUserLimit(2, 1)
	anns, bobs := s.RequestSlot("ann", 9), s.RequestSlot("bob", 9)
	s.RequestSlot("ann", 1)
	if bobs.IsWanted() || !anns.IsWanted() {
		t.Error("not exactly ann's own is wanted")
	}
}

func TestTryAcquire_NoSlotFree_AddsNoRequest(t *testing.T) {
	s := New(1)
	one, ok := s.TryAcquire("")
	if _, more := s.TryAcquire(""); !ok || more || s.CountWaiting() != 0 {
		t.Fatal("one slot was given to two, or somebody waits")
	}
	one.Release()
	one.Release() // a second release changes nothing
	if _, ok := s.TryAcquire(""); !ok || len(s.running) != 1 {
		t.Error("the slot was not given back once")
	}
}
