// Package fair shares out what there is only so much of, so that nobody waits for all that another one wants.
package fair

import (
	"context"
	"slices"
	"sync"
)

// Line lets so many in at once. Where more want to, their people take turns: who wants one place waits for no more than one
// of each of the others, however many those want. It may be used from several goroutines at once.
type Line struct {
	mu      sync.Mutex // guards what follows
	room    int        // who may still come in; 0 while somebody waits
	people  []string   // who waits, in the order of their turns
	waiting map[string][]chan struct{}
}

// New makes a line that lets room in at once.
func New(room int) *Line { return &Line{room: room, waiting: map[string][]chan struct{}{}} }

// Place is one in a line, or inside. Who has taken it gives it back, once, with Leave.
type Place struct {
	line   *Line
	person string
	turn   chan struct{}
}

// Join takes the person's next place, which waits for its turn. It never blocks.
func (f *Line) Join(person string) Place { return Place{f, person, f.join(person)} }

// In is closed when the place's turn has come.
func (p Place) In() <-chan struct{} { return p.turn }

// Leave gives the place up, whether its turn has come or not.
func (p Place) Leave() {
	if !p.line.quit(p.person, p.turn) {
		p.line.leave()
	}
}

// Enter is Join, and waits for the turn. Its error is ctx's cause, and then there is no place to leave.
func (f *Line) Enter(ctx context.Context, person string) (Place, error) {
	if ctx.Err() != nil {
		return Place{}, context.Cause(ctx)
	}
	p := f.Join(person)
	select {
	case <-p.In():
		return p, nil
	case <-ctx.Done():
		p.Leave()
		return Place{}, context.Cause(ctx)
	}
}

// join gives what is closed when the person's next turn has come.
func (f *Line) join(person string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	turn := make(chan struct{})
	if f.room > 0 {
		f.room--
		close(turn)
		return turn
	}
	if len(f.waiting[person]) == 0 {
		f.people = append(f.people, person)
	}
	f.waiting[person] = append(f.waiting[person], turn)
	return turn
}

// quit gives a place up, unless its turn has come.
func (f *Line) quit(person string, turn chan struct{}) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.Index(f.waiting[person], turn)
	if at < 0 {
		return false
	}
	f.remove(person, at)
	return true
}

// leave lets the next one in.
func (f *Line) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.people) == 0 {
		f.room++
		return
	}
	person := f.people[0]
	close(f.waiting[person][0])
	f.people = append(f.people[1:], person)
	f.remove(person, 0)
}

// remove takes a place away, and its person from the line where it was their last. The mutex is held.
func (f *Line) remove(person string, at int) {
	left := slices.Delete(f.waiting[person], at, at+1)
	if f.waiting[person] = left; len(left) > 0 {
		return
	}
	delete(f.waiting, person)
	f.people = slices.DeleteFunc(f.people, func(p string) bool { return p == person })
}
