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

// Causes that end the arrival of an inbound. After errNotServed, the inbound's operation continues.
var (
	errDropped   = errors.New("its person has dropped it")
	errReplaced  = errors.New("its user has replaced these files")
	errNotServed = context.Canceled
)

// arrival is an inbound whose files are being prepared. Only Run uses it. The arrival's own
// goroutine works with copies.
type arrival struct {
	inbound   supervisor.Inbound
	firstSeen time.Time // when the Receiver first saw the inbound; a clock that is set back delays no inbound
	cancel    context.CancelCauseFunc
	arrived   *sqlite.ArrivalResult // the prepared inbound, set once all files are ready
	// overtaken is true if later messages no longer wait for this inbound. Their conversation was
	// then woken.
	overtaken bool
}

// Run prepares arriving inbounds until ctx ends. It begins with inbounds from before the service's
// start. It returns when all its goroutines have ended.
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
			r.reconcile(ctx, &running)
		case end := <-r.ended:
			if a := r.arrivals[end.Inbound]; a != nil && a.inbound.FirstFile == end.FirstFile {
				a.arrived = &end
			}
		case <-timer.C:
		}
		timer.Reset(r.release(ctx, time.Now()))
	}
}

// reconcile starts new arrivals, and ends the arrivals of dropped inbounds.
func (r *Receiver) reconcile(ctx context.Context, running *sync.WaitGroup) {
	list, ok := retry.StoreUntilDone(ctx, r.o.Log, "list arriving inbounds", func() ([]supervisor.Inbound,
		error) {
		return r.o.Inbox.ListArrivingInbounds(ctx)
	})
	if !ok {
		return
	}
	ends := map[int64]error{} // causes to end arrivals, by inbound
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
			r.o.Wake(a.inbound.Conversation) // later messages no longer wait for this inbound
		}
		if why != nil {
			a.cancel(why)
			delete(r.arrivals, id)
		}
	}
}

// begin starts an arrival.
func (r *Receiver) begin(ctx context.Context, in supervisor.Inbound, running *sync.WaitGroup) {
	task, done, ok := r.tasks.BeginWork(ctx, in.Conversation.User, func() bool { return r.o.Serves(in.Conversation) })
	if !ok {
		return
	}
	own, cancel := context.WithCancelCause(task)
	r.arrivals[in.ID] = &arrival{inbound: in, firstSeen: time.Now(), cancel: cancel}
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

// maxIdle is the longest wait of Run.
const maxIdle = time.Hour

// release passes complete groups to their turns. It wakes conversations that have waited long
// enough for an incomplete group. wait is the time until the next call is due.
func (r *Receiver) release(ctx context.Context, now time.Time) (wait time.Duration) {
	wait = maxIdle
	later := func(at time.Time) bool {
		left := at.Sub(now)
		if left > 0 {
			wait = min(wait, left)
		}
		return left > 0
	}
	for _, group := range r.groups() {
		if at, complete := groupDue(group); complete && !later(at) {
			r.putArrived(ctx, group)
		}
	}
	for _, a := range r.arrivals {
		if !a.overtaken && !later(a.firstSeen.Add(sqlite.MaxArrivalWait)) {
			a.overtaken = true
			r.o.Wake(a.inbound.Conversation)
		}
	}
	return wait
}

// groups returns the arrivals that are taken together, in the order of sending.
func (r *Receiver) groups() (groups [][]*arrival) {
	type key struct {
		conversation int64
		together     string
	}
	open := map[key]int{} // index of the group that still grows, by key
	bySent := func(a, b *arrival) int { return cmp.Compare(a.inbound.ID, b.inbound.ID) }
	for _, a := range slices.SortedFunc(maps.Values(r.arrivals), bySent) {
		k := key{a.inbound.Conversation.ID, a.inbound.Group}
		if i, ok := open[k]; ok && k.together != "" && a.firstSeen.Sub(groups[i][0].firstSeen) <= maxGroupTime {
			groups[i] = append(groups[i], a)
			continue
		}
		open[k] = len(groups)
		groups = append(groups, []*arrival{a})
	}
	return groups
}

// groupDue returns when a turn may take a group, because no further inbound of the group is
// expected. If complete is false, files of the group are missing.
func groupDue(group []*arrival) (at time.Time, complete bool) {
	first, last := group[0].firstSeen, group[0].firstSeen
	for _, a := range group {
		if a.arrived == nil {
			return at, false
		}
		if a.firstSeen.After(last) {
			last = a.firstSeen
		}
	}
	if group[0].inbound.Group == "" {
		return first, true
	}
	at = last.Add(quietTime)
	if most := first.Add(maxGroupTime); most.Before(at) {
		at = most
	}
	return at, true
}

// putArrived passes a group to its turn.
func (r *Receiver) putArrived(ctx context.Context, group []*arrival) {
	var list []sqlite.ArrivalResult
	for _, a := range group {
		list = append(list, *a.arrived)
	}
	limitImages(list)
	limitText(list)
	said, ok := retry.StoreUntilDone(ctx, r.o.Log, "keep that a message has arrived", func() (bool,
		error) {
		return r.o.Inbox.CompleteArrivals(ctx, list)
	})
	if !ok && ctx.Err() != nil {
		return // the next start of the service repeats the call
	}
	if said {
		r.o.Queued(group[0].inbound.Conversation.ID)
	}
	for _, a := range group {
		delete(r.arrivals, a.inbound.ID)
	}
	r.o.Wake(group[0].inbound.Conversation)
}
