package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"time"

	"mews/supervisor"
)

// parcels are exports that are made while somebody fetches them, piece by piece: what is said on the socket is said in
// lines. The zero value takes none until open.
type parcels struct {
	mu      sync.Mutex // guards what follows
	ctx     context.Context
	running sync.WaitGroup
	all     map[string]*parcel // by token
}

// parcel is one of them.
type parcel struct {
	whose clerk
	read  *io.PipeReader
	stop  context.CancelFunc
	idle  *time.Timer // ends it
}

const (
	maxParcels  = 4
	parcelIdles = time.Minute // a client that fetches nothing for so long has gone
	pieceBytes  = 384 << 10   // a line of the socket is at most 1 MiB, and base64 makes a third more of it
)

// open has exports be made until ctx ends, or close is called.
func (p *parcels) open(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.all = ctx, map[string]*parcel{}
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

// begin has pack write into a parcel.
func (p *parcels) begin(by clerk, pack func(context.Context, io.Writer) error) (token string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil || len(p.all) >= maxParcels {
		return "", refused(supervisor.CodeUnavailable, "Nothing can be exported just now: Mews is starting or ending, or %d exports run. "+
			"Try again in a minute.", maxParcels)
	}
	ctx, stop := context.WithCancel(p.ctx)
	read, write := io.Pipe()
	token = rand.Text()
	one := &parcel{whose: by, read: read, stop: stop, idle: time.AfterFunc(parcelIdles, stop)}
	p.all[token] = one
	p.running.Go(func() { // ends with its context at the latest
		defer context.AfterFunc(ctx, func() { read.CloseWithError(context.Cause(ctx)) })()
		write.CloseWithError(pack(ctx, write))
	})
	context.AfterFunc(ctx, func() { p.forget(token) })
	return token, nil
}

func (p *parcels) forget(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, token)
}

// next is the next piece of a parcel, for whoever has it made; last says that there is no more.
func (p *parcels) next(ctx context.Context, by clerk, token string) (piece []byte, last bool, err error) {
	p.mu.Lock()
	one := p.all[token]
	p.mu.Unlock()
	if one == nil || one.whose.uid != by.uid {
		return nil, false, refused(supervisor.CodeNotFound, "This export is not running any more. Begin it again.")
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
