package attachment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/spool"
)

// Limits of a fetch.
const (
	tries        = 3
	fetchTimeout = 60 * time.Second // time limit of one try, plus the time that the bytes take at minRate
	minRate      = 128 << 10        // slowest expected download, in bytes per second
	// unknownSize is the assumed size of a file of unknown size, in bytes. (Bot API, getFile: the
	// maximum.)
	unknownSize = 20 << 20
)

// fetch downloads one file from its channel.
type fetch struct {
	*Receiver
	inbound  supervisor.Inbound
	position int
}

// run returns the file with its bytes in the spool, or with its failure; either result is
// committed. If the file has no result, ctx has ended.
func (f *fetch) run(ctx context.Context, a supervisor.Attachment) supervisor.Attachment {
	if a.SHA256 != "" || a.Failure != "" {
		return a
	}
	ref, err := f.download(ctx, a)
	if ctx.Err() != nil {
		return a
	}
	// StoreUntilDone logs the error
	_, _ = retry.StoreUntilDone(ctx, f.o.Log, "keep the result of a fetch", func() (struct{}, error) {
		if err != nil {
			return struct{}{}, f.o.Files.PutFailure(ctx, f.inbound.ID, f.position, failureOf(err))
		}
		return struct{}{}, f.o.Files.PutBytes(ctx, f.inbound.ID, f.position, ref)
	})
	if err != nil {
		f.o.Log.Warn("fetch a file", "user", f.inbound.Conversation.User, "inbound", f.inbound.ID, "error", err)
		a.Failure = failureOf(err)
		return a
	}
	a.SHA256, a.Size = ref.SHA256, ref.Size
	return a
}

// failureOf returns the reason of a failure, for the user.
func failureOf(err error) string {
	told := new(supervisor.Error)
	switch {
	case errors.As(err, &told):
		return told.Message
	case errors.Is(err, spool.ErrFull):
		return textSpoolFull
	}
	return textNotFetched
}

// download fetches a file. After a temporary failure it tries again.
func (f *fetch) download(ctx context.Context, a supervisor.Attachment) (ref protocol.BlobRef, err error) {
	for n := range tries {
		if n > 0 && !retry.Sleep(ctx, retryDelay(err, n)) {
			return ref, context.Cause(ctx)
		}
		if ref, err = f.tryOnce(ctx, a); err == nil || ctx.Err() != nil || isFinal(err) {
			return ref, err
		}
	}
	return ref, fmt.Errorf("%d tries: %w", tries, err)
}

// retryDelay returns the wait before try n. If the channel asks for a certain wait, retryDelay
// returns that wait.
func retryDelay(err error, n int) time.Duration {
	if told := new(supervisor.SendError); errors.As(err, &told) && told.RetryAfter > 0 {
		return told.RetryAfter
	}
	return time.Second << (n - 1)
}

// isFinal reports whether another try is useless.
func isFinal(err error) bool {
	told := new(supervisor.Error)
	return errors.As(err, &told) || errors.Is(err, spool.ErrFull)
}

// tryOnce waits for a slot, and fetches a file in one try.
func (f *fetch) tryOnce(ctx context.Context, a supervisor.Attachment) (ref protocol.BlobRef, err error) {
	slot, err := f.fetches.Acquire(ctx, f.inbound.Conversation.User)
	if err != nil {
		return ref, err
	}
	defer slot.Release()
	size := a.Size
	if size == 0 {
		size = unknownSize
	}
	bounded, cancel := context.WithTimeout(ctx, fetchTimeout+time.Duration(size/minRate)*time.Second)
	defer cancel()
	w, err := f.o.Spool.NewWriter()
	if err != nil {
		return ref, err
	}
	if err := f.o.Fetch(bounded, f.inbound.Conversation.Channel, a.File, io.Writer(w)); err != nil {
		return ref, errors.Join(err, w.Discard())
	}
	return w.Commit()
}
