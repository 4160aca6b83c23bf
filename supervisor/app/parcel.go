package app

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/fair"
)

// parcels are exports that are made while somebody fetches them, piece by piece: what is said on the socket is said in
// lines. The zero value takes none until open.
type parcels struct {
	mu      sync.Mutex // guards what follows
	ctx     context.Context
	running sync.WaitGroup
	all     map[string]*parcel // by token
	line    *fair.Semaphore    // of who wants one; clients take turns
}

// parcel is one of them.
type parcel struct {
	whose clerk
	place fair.Permit
	read  *io.PipeReader
	stop  context.CancelFunc
	idle  *time.Timer // ends it
}

const (
	maxParcels  = 4
	parcelIdles = time.Minute      // a client that fetches nothing for so long has gone
	parcelWaits = 20 * time.Second // for a place; a client gives up a call after 30 s
	pieceBytes  = 384 << 10        // a line of the socket is at most 1 MiB, and base64 makes a third more of it
)

// open has exports be made until ctx ends, or close is called.
func (p *parcels) open(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.all, p.line = ctx, map[string]*parcel{}, fair.New(maxParcels)
}

// close waits for those that run. Their context has ended.
func (p *parcels) close() {
	p.mu.Lock()
	p.ctx = nil
	for _, one := range p.all {
		one.stop()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// begin has pack write into a parcel, once there is a place for one. It waits for that a while, and then says so.
func (p *parcels) begin(ctx context.Context, by clerk, pack func(context.Context, io.Writer) error) (token string, err error) {
	place, err := p.enter(ctx, by)
	if err != nil {
		return "", err
	}
	if token = p.start(by, place, pack); token == "" {
		place.Release()
		return "", notServing()
	}
	return token, nil
}

func notServing() error {
	return Refused(supervisor.CodeUnavailable, "Nothing can be exported just now: Mews is starting or ending. Try again in a minute.")
}

// errCrowded ends the wait for a place.
var errCrowded = errors.New("no place has become free")

// enter waits for a place. A client that wants several waits for no more than one of each of the others, and the others for
// no more than one of its.
func (p *parcels) enter(ctx context.Context, by clerk) (place fair.Permit, err error) {
	p.mu.Lock()
	serving, line := p.ctx, p.line
	p.mu.Unlock()
	if serving == nil {
		return place, notServing()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, parcelWaits, errCrowded)
	defer cancel()
	defer context.AfterFunc(serving, cancel)()
	place, err = line.Acquire(ctx, strconv.FormatUint(uint64(by.uid), 10))
	switch {
	case err == nil:
		return place, nil
	case serving.Err() != nil:
		return place, notServing()
	case errors.Is(err, errCrowded):
		return place, Refused(supervisor.CodeUnavailable, "%d exports are being made, as many as can be at once, and none of them has ended "+
			"within %d seconds. Run this again in a minute.", maxParcels, int(parcelWaits.Seconds()))
	}
	return place, err
}

// Start has pack write into a parcel that has a place; "" is that no more are made.
func (p *parcels) start(by clerk, place fair.Permit, pack func(context.Context, io.Writer) error) (token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil {
		return ""
	}
	ctx, stop := context.WithCancel(p.ctx)
	read, write := io.Pipe()
	token = rand.Text()
	one := &parcel{whose: by, place: place, read: read, stop: stop, idle: time.AfterFunc(parcelIdles, stop)}
	p.all[token] = one
	p.running.Go(func() { // ends with its context at the latest
		defer context.AfterFunc(ctx, func() { read.CloseWithError(context.Cause(ctx)) })()
		write.CloseWithError(pack(ctx, write))
	})
	context.AfterFunc(ctx, func() { p.forget(token) })
	return token
}

func (p *parcels) forget(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.all[token]; one != nil {
		delete(p.all, token)
		one.place.Release()
	}
}

// next is the next piece of a parcel, for whoever has it made; last says that there is no more.
func (p *parcels) next(ctx context.Context, by clerk, token string) (piece []byte, last bool, err error) {
	p.mu.Lock()
	one := p.all[token]
	p.mu.Unlock()
	if one == nil || one.whose.uid != by.uid {
		return nil, false, Refused(supervisor.CodeNotFound, "This export is not running any more. Begin it again.")
	}
	one.idle.Reset(parcelIdles)
	defer context.AfterFunc(ctx, one.stop)()
	piece = make([]byte, pieceBytes)
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
