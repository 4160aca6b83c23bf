package slots

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func (p Permit) in() bool {
	select {
	case <-p.Granted():
		return true
	default:
		return false
	}
}

// callers make requests of a Semaphore.
type callers struct {
	*Semaphore
	size    int
	inside  []Permit
	waiting []Permit                  // in the order in which they came
	passed  map[string]map[string]int // how often each person was let in since another one waits
}

// check finds who was let in, and holds it against the promises: never too many, never room for who
// waits, each person's calls in their order, and nobody twice before another who waits.
func (p *callers) check(t *rapid.T) {
	for i, one := range p.waiting {
		if !one.in() {
			continue
		}
		if earlier := slices.IndexFunc(p.waiting, func(o Permit) bool { return o.person == one.person }); earlier != i {
			t.Fatalf("%s's later call was let in first", one.person)
		}
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.inside = append(p.inside, one)
		p.count(t, one.person)
		break
	}
	if n := len(p.inside); n > p.size || n < p.size && len(p.waiting) > 0 || p.free != p.size-n {
		t.Fatalf("%d of %d inside, %d wait, room for %d", n, p.size, len(p.waiting), p.free)
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

// watch begins to count for who waits, and ends it for who does not.
func (p *callers) watch() {
	now := map[string]map[string]int{}
	for _, one := range p.waiting {
		if now[one.person] = p.passed[one.person]; now[one.person] == nil {
			now[one.person] = map[string]int{}
		}
	}
	p.passed = now
}

func TestPeopleTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 3).Draw(t, "size")
		p := &callers{Semaphore: New(size), size: size}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				if one := p.Request(rapid.SampledFrom([]string{"ann", "bob", "cid"}).Draw(t, "who")); one.in() {
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
		if len(p.people)+len(p.Semaphore.waiting)+len(p.waiting) != 0 {
			t.Fatalf("left behind: %+v", p.Semaphore)
		}
	})
}

// TestATurnThatComesAsItIsGivenUpIsPassedOn: of one that is let in and stopped at once, the room is
// not lost.
func TestATurnThatComesAsItIsGivenUpIsPassedOn(t *testing.T) {
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
		if f.free != 1 || len(f.people) != 0 {
			t.Fatalf("the room is lost: %+v", f)
		}
	}
}

func TestWhatIsNobodysWaitsForEverybody(t *testing.T) {
	s := New(1)
	runs, nobodys, again, bobs := s.Request("alice"), s.Request(""), s.Request("alice"), s.Request("bob")
	for _, next := range []Permit{again, bobs, nobodys} {
		if next.in() {
			t.Errorf("%q is in too early", next.person)
		}
		runs.Release()
		if runs = next; !runs.in() {
			t.Errorf("%q is not in", next.person)
		}
	}
}
