package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"mews/protocol"
)

// UploadFile sends a file, and returns when the supervisor has the file on disk. While the
// supervisor is away, it waits, and then sends the file again from its start. Only one goroutine
// may upload at a time.
func (c *Chat) UploadFile(ctx context.Context, file io.ReadSeeker) (ref protocol.BlobRef, err error) {
	var conn *protocol.Conn
	for {
		if conn, err = c.attachedConn(ctx, conn); err != nil {
			return ref, err
		}
		ref, err = uploadOver(ctx, conn, file)
		switch {
		case ctx.Err() != nil:
			return ref, context.Cause(ctx)
		case !errors.Is(err, protocol.ErrClosed):
			return ref, decodeError(err)
		}
	}
}

// uploadOver sends a file over a given connection.
func uploadOver(ctx context.Context, conn *protocol.Conn, file io.ReadSeeker) (ref protocol.BlobRef, err error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return ref, fmt.Errorf("read the file anew: %w", err)
	}
	part := UploadPart{}
	buf := make([]byte, MaxUploadPartBytes)
	for !part.Last {
		n, err := io.ReadFull(file, buf)
		part.Data, part.Last = buf[:n], errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !part.Last {
			return ref, fmt.Errorf("read the file: %w", err)
		}
		uploaded := UploadResult{Blob: &ref}
		if err := conn.Call(ctx, MethodUpload, part, &uploaded); err != nil {
			return ref, err
		}
		part.Offset += int64(n)
	}
	return ref, nil
}

// TranscribeFile lets the service behind a socket transcribe a file. The user "" is the user of the
// process's account. The call leaves the user's deliveries to other clients.
func TranscribeFile(ctx context.Context, path, user, name string, file io.ReadSeeker) (heard TranscribeResult,
	err error) {
	conn, err := dial(ctx, path, decliningHandler{})
	if err != nil {
		return heard, err
	}
	running, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { _ = conn.Run(running) }) // each call over the connection returns the connection's error
	defer ended.Wait()
	defer cancel()
	f := UploadedFile{Name: name}
	if err = conn.Call(ctx, MethodJoinChat, JoinChatRequest{User: user, After: StartFromNow},
		&JoinChatResult{}); err == nil {
		f.Blob, err = uploadOver(ctx, conn, file)
	}
	if err == nil {
		err = conn.Call(ctx, MethodTranscribe, TranscribeRequest{File: f}, &heard)
	}
	if ctx.Err() != nil {
		return heard, context.Cause(ctx)
	}
	return heard, decodeError(err)
}

// decliningHandler is a handler that leaves every delivery to another client.
type decliningHandler struct{}

func (decliningHandler) HandleCall(context.Context, *protocol.Request) (any, error) {
	return DeliverResult{}, nil
}

func (decliningHandler) HandleNotification(*protocol.Request) {}
