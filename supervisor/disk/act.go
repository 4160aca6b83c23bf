package disk

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"mews/protocol"
	"mews/supervisor/internal/retry"
	"mews/supervisor/pool"
)

// endExceeding ends the programs of users whose homes have grown beyond their limits.
func (g *Guard) endExceeding(ctx context.Context) {
	g.mu.Lock()
	all := g.exceeded
	g.exceeded = map[string]protocol.DiskExceeded{}
	g.mu.Unlock()
	for user, size := range all {
		switch {
		case g.Limit > 0 && size.Bytes > g.Limit:
			g.end(ctx, user, pool.LimitHomeBytes, uint64(g.Limit))
		case g.FileLimit > 0 && size.Files > g.FileLimit:
			g.end(ctx, user, pool.LimitHomeFiles, uint64(g.FileLimit))
		}
	}
}

func (g *Guard) end(ctx context.Context, user, kind string, limit uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	return g.EndPrograms(ctx, user, kind, limit)
}

// checkDisk ends programs if the disk has less than its reserve. It does so when the shortage
// begins, and again each time that the room has clearly shrunk. When the shortage begins, it first
// deletes old versions of files. If that makes room, no program ends.
func (g *Guard) checkDisk(ctx context.Context, s *state, r *reading) {
	if !r.IsLow() {
		if s.low {
			g.tell("room", r, fmt.Sprintf(textRoom, r.path, r.Space))
		}
		s.low = false
		return
	}
	s.mark = s.mark.most(r.Space)
	falling := s.low && r.hasFallen(s.mark)
	if s.low && !falling {
		return
	}
	if !s.low {
		if g.thin(ctx, s, r); !r.IsLow() {
			return
		}
	}
	n := need{files: !r.lacksBytes(), urgent: r.IsFull(), falling: falling}
	n.noise = r.noise(n.files)
	ended := g.endWriters(ctx, chooseWriters(g.askGrowth(ctx, r.users), n), r)
	switch {
	case len(ended) > 0:
		names := strings.Join(ended, ", ")
		g.tell("writer "+names, r, fmt.Sprintf(textLowWriter, r.path, r.Space, names, r.DescribeReserve()))
	// The admins already know of this shortage, or keepBallast tells them about it.
	case s.low || r.own && r.IsFull() && (r.isExhausted() || g.ballast.exists()):
	default:
		g.tell("low", r, fmt.Sprintf(textLowOther, r.path, r.Space, r.DescribeReserve()))
	}
	s.low, s.mark = true, r.Space
}

// thin deletes old versions from the file histories on a disk, and measures the disk again. It
// waits until all are deleted, the disk is full, or thinTimeout has passed. After that, the
// deletion goes on. It does nothing if a deletion on the disk goes on, or began in the last
// thinInterval.
func (g *Guard) thin(ctx context.Context, s *state, r *reading) {
	if len(r.kept) == 0 || !s.mayThin(g.Now()) {
		return
	}
	thinned := make(chan struct{})
	s.thinBegan, s.thinEnd = g.Now(), thinned
	go func() {
		defer close(thinned)
		ctx, cancel := context.WithTimeout(ctx, thinLimit)
		defer cancel()
		var all sync.WaitGroup
		for _, user := range r.kept {
			all.Go(func() {
				if err := g.Thin(ctx, user); err != nil {
					g.Log.Warn("old versions of files were not deleted", "user", user, "error", err)
				}
			})
		}
		all.Wait()
	}()
	timeout, cancel := context.WithTimeout(ctx, thinTimeout)
	defer cancel()
	for isDone := false; !isDone && timeout.Err() == nil; {
		retry.SleepOrWake(timeout, busyInterval/5, thinned)
		select {
		case <-thinned:
			isDone = true
		default:
		}
		space, err := g.Space(r.path)
		if err != nil {
			g.Log.Debug("a disk can't be watched", "error", err)
			return
		}
		if r.Space = space; r.IsFull() {
			return
		}
	}
}

// endWriters ends the programs of users who have filled a disk. It returns the users whose programs
// it has ended.
func (g *Guard) endWriters(ctx context.Context, users []string, r *reading) (ended []string) {
	for _, user := range users {
		told, cancel := context.WithTimeout(ctx, workerTimeout)
		if err := g.Hold(told, user); err != nil {
			g.Log.Warn("a worker was not told that its disk is full", "user", user, "error", err)
		}
		cancel()
		if g.end(ctx, user, pool.LimitFreeSpace, uint64(protocol.DiskReserve(r.Total))) {
			ended = append(ended, user)
		}
	}
	return ended
}
