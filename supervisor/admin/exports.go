package admin

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/slots"
)

// exports are running exports, which clients fetch in pieces because a line of the socket has a
// limit. The zero value accepts no export until open is called.
type exports struct {
	mu      sync.Mutex // guards the fields below
	ctx     context.Context
	running sync.WaitGroup
	all     map[string]*export // the running exports, by token
	queue   *slots.Slots       // slots for running exports; clients take turns
}

// export is one running export.
type export struct {
	owner Caller
	slot  *slots.Slot
	read  *io.PipeReader
	stop  context.CancelFunc
	idle  *time.Timer   // ends an export that its client has stopped fetching
	begun chan struct{} // closed at the first byte of the export
}

const (
	maxExports        = 4
	exportIdleTimeout = time.Minute      // an export ends if its client fetches nothing for this time
	exportWaitTimeout = 20 * time.Second // the wait for a slot; a client gives up a call after 30 s
	// The wait for the first byte of a home's archive. After that the client must ask again.
	exportFirstByte = 15 * time.Second
	// The most bytes of a piece: a line of the socket is at most 1 MiB, and base64 adds a third.
	chunkBytes = 384 << 10
)

// open accepts exports until ctx ends, or close is called.
func (p *exports) open(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.all, p.queue = ctx, map[string]*export{}, slots.New(maxExports)
}

// close waits until the running exports have ended. Their context must have ended.
func (p *exports) close() {
	p.mu.Lock()
	p.ctx = nil
	for _, one := range p.all {
		one.stop()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// begin starts an export as soon as there is a slot; pack writes the export. It returns an error if
// no slot becomes free in time.
func (p *exports) begin(ctx context.Context, by Caller, pack func(context.Context, io.Writer) error) (token string, err error) {
	slot, err := p.acquireSlot(ctx, by)
	if err != nil {
		return "", err
	}
	if token = p.start(by, slot, pack); token == "" {
		slot.Release()
		return "", notServing()
	}
	return token, nil
}

func notServing() error {
	return supervisor.Errorf(supervisor.CodeUnavailable, textNotServing)
}

// errNoFreeSlot ends the wait for a slot.
var errNoFreeSlot = errors.New("no slot has become free")

// acquireSlot waits for a slot. Clients take turns: each client waits for at most one export of
// every other client.
func (p *exports) acquireSlot(ctx context.Context, by Caller) (slot *slots.Slot, err error) {
	p.mu.Lock()
	serving, queue := p.ctx, p.queue
	p.mu.Unlock()
	if serving == nil {
		return slot, notServing()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, exportWaitTimeout, errNoFreeSlot)
	defer cancel()
	defer context.AfterFunc(serving, cancel)()
	slot, err = queue.Acquire(ctx, strconv.FormatUint(uint64(by.UID), 10))
	switch {
	case err == nil:
		return slot, nil
	case serving.Err() != nil:
		return slot, notServing()
	case errors.Is(err, errNoFreeSlot):
		return slot, supervisor.Errorf(supervisor.CodeUnavailable, textExportsBusy, maxExports, int(exportWaitTimeout.Seconds()))
	}
	return slot, err
}

// start runs pack, which writes into an export that has a slot. The result token is "" if exports
// are closed.
func (p *exports) start(by Caller, slot *slots.Slot, pack func(context.Context, io.Writer) error) (token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil {
		return ""
	}
	ctx, stop := context.WithCancel(p.ctx)
	read, write := io.Pipe()
	token = rand.Text()
	one := &export{owner: by, slot: slot, read: read, stop: stop, idle: time.AfterFunc(exportIdleTimeout, stop), begun: make(chan struct{})}
	p.all[token] = one
	p.running.Go(func() { // this goroutine ends when its context ends, at the latest
		defer context.AfterFunc(ctx, func() { read.CloseWithError(context.Cause(ctx)) })()
		begin := sync.OnceFunc(func() { close(one.begun) })
		write.CloseWithError(pack(ctx, writerFunc(func(b []byte) (int, error) {
			begin()
			return write.Write(b)
		})))
		begin()
	})
	context.AfterFunc(ctx, func() { p.forget(token) })
	return token
}

// writerFunc makes an io.Writer from a function.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func (p *exports) forget(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.all[token]; one != nil {
		delete(p.all, token)
		one.slot.Release()
	}
}

// next returns the next piece of an export to the client that began it. The result last marks the
// last piece. If a piece before the last one is empty, a home is still being archived.
func (p *exports) next(ctx context.Context, by Caller, token string) (piece []byte, last bool, err error) {
	p.mu.Lock()
	one := p.all[token]
	p.mu.Unlock()
	if one == nil || one.owner.UID != by.UID {
		return nil, false, supervisor.Errorf(supervisor.CodeNotFound, textExportGone)
	}
	one.idle.Reset(exportIdleTimeout)
	defer context.AfterFunc(ctx, one.stop)()
	select {
	case <-one.begun:
	case <-time.After(exportFirstByte):
		return nil, false, nil
	}
	piece = make([]byte, chunkBytes)
	n, err := io.ReadFull(one.read, piece)
	last = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if last || err != nil {
		one.idle.Stop()
		one.stop()
	}
	if last {
		err = nil
	}
	return piece[:n], last, err
}
