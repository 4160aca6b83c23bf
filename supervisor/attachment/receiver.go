package attachment

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/sqlite"
)

// What ends the arrival of an inbound: its person does not want it any more, or as it was, or is
// not served for now, and its operation goes on.
var (
	errDropped   = errors.New("its person has dropped it")
	errReplaced  = errors.New("its person has sent other files in the place of these")
	errNotServed = context.Canceled
)

// arrival is an inbound that arrives. It is Run's, but for what its own goroutine was given.
type arrival struct {
	inbound supervisor.Inbound
	since   time.Time // the Receiver knows of it. No clock that is set back makes anybody wait
	cancel  context.CancelCauseFunc
	end     *sqlite.Arrived // once all is there
	// what was sent after it does not wait for it any more, and its conversation was woken for that
	overtaken bool
}

// Run goes on with what an earlier life of the service left, and then with what arrives, until ctx
// ends. It returns when nothing of it runs any more.
func (r *Receiver) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	r.Wake()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.woken:
			r.look(ctx, &running)
		case end := <-r.ended:
			if a := r.arrivals[end.Inbound]; a != nil && a.inbound.FirstFile == end.FirstFile {
				a.end = &end
			}
		case <-timer.C:
		}
		timer.Reset(r.release(ctx, time.Now()))
	}
}

// look begins what arrives, and ends what was dropped.
func (r *Receiver) look(ctx context.Context, running *sync.WaitGroup) {
	list, ok := retry.Persist(ctx, r.o.Log, "look for what arrives", func() ([]supervisor.Inbound, error) { return r.o.Inbox.Arriving(ctx) })
	if !ok {
		return
	}
	ends := map[int64]error{} // why the arrival is to end, of those that are there
	for _, in := range list {
		if ends[in.ID] = nil; !r.o.Serves(in.Conversation) {
			ends[in.ID] = errNotServed
			continue
		}
		a := r.arrivals[in.ID]
		if a != nil && a.inbound.FirstFile != in.FirstFile {
			a.cancel(errReplaced)
			a = nil
		}
		if a == nil {
			r.begin(ctx, in, running)
		}
	}
	for id, a := range r.arrivals {
		why, there := ends[id]
		if !there {
			why = errDropped
			r.o.Wake(a.inbound.Conversation) // what was sent after it waits for it no more
		}
		if why != nil {
			a.cancel(why)
			delete(r.arrivals, id)
		}
	}
}

// begin begins what arrives.
func (r *Receiver) begin(ctx context.Context, in supervisor.Inbound, running *sync.WaitGroup) {
	task, done, ok := r.tasks.Begin(ctx, in.Conversation.User, func() bool { return r.o.Serves(in.Conversation) })
	if !ok {
		return
	}
	own, cancel := context.WithCancelCause(task)
	r.arrivals[in.ID] = &arrival{inbound: in, since: time.Now(), cancel: cancel}
	running.Go(func() {
		defer done()
		if end, ok := r.receive(own, in); ok {
			select {
			case r.ended <- end:
			case <-ctx.Done():
			}
		}
	})
}

// idle is how long Run waits where nothing is due.
const idle = time.Hour

// release has turns take what is complete, and wakes those who have waited long enough for what is
// not. It says when there is more of that to do.
func (r *Receiver) release(ctx context.Context, now time.Time) (wait time.Duration) {
	wait = idle
	later := func(at time.Time) bool {
		left := at.Sub(now)
		if left > 0 {
			wait = min(wait, left)
		}
		return left > 0
	}
	for _, group := range r.groups() {
		if at, complete := due(group); complete && !later(at) {
			r.arrived(ctx, group)
		}
	}
	for _, a := range r.arrivals {
		if !a.overtaken && !later(a.since.Add(sqlite.ArrivingFirst)) {
			a.overtaken = true
			r.o.Wake(a.inbound.Conversation)
		}
	}
	return wait
}

// groups are the arrivals by what is taken together, each from the first sent to the last.
func (r *Receiver) groups() (groups [][]*arrival) {
	type key struct {
		conversation int64
		together     string
	}
	open := map[key]int{} // where in groups one is that takes more
	bySent := func(a, b *arrival) int { return cmp.Compare(a.inbound.ID, b.inbound.ID) }
	for _, a := range slices.SortedFunc(maps.Values(r.arrivals), bySent) {
		k := key{a.inbound.Conversation.ID, a.inbound.Together}
		if i, ok := open[k]; ok && k.together != "" && a.since.Sub(groups[i][0].since) <= longest {
			groups[i] = append(groups[i], a)
			continue
		}
		open[k] = len(groups)
		groups = append(groups, []*arrival{a})
	}
	return groups
}

// due is when a group may be taken: once no more of it is expected. It is not complete while
// something of it is not there.
func due(group []*arrival) (at time.Time, complete bool) {
	first, last := group[0].since, group[0].since
	for _, a := range group {
		if a.end == nil {
			return at, false
		}
		if a.since.After(last) {
			last = a.since
		}
	}
	if group[0].inbound.Together == "" {
		return first, true
	}
	at = last.Add(quietAfter)
	if most := first.Add(longest); most.Before(at) {
		at = most
	}
	return at, true
}

// arrived has a turn take a group.
func (r *Receiver) arrived(ctx context.Context, group []*arrival) {
	var list []sqlite.Arrived
	for _, a := range group {
		list = append(list, *a.end)
	}
	limitImages(list)
	limitText(list)
	said, ok := retry.Persist(ctx, r.o.Log, "keep that a message has arrived", func() (bool, error) { return r.o.Inbox.PutArrived(ctx, list) })
	if !ok && ctx.Err() != nil {
		return // it is done after the next start
	}
	if said {
		r.o.Queued(group[0].inbound.Conversation.ID)
	}
	for _, a := range group {
		delete(r.arrivals, a.inbound.ID)
	}
	r.o.Wake(group[0].inbound.Conversation)
}
