package parse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"mews/protocol"
	"mews/worker/program"
)

// Programs runs programs behind the walls.
type Programs interface {
	Run(ctx context.Context, p program.Program) error
}

// ParserArgument makes the worker's program parse a file instead of serving a user. The kind
// follows.
const ParserArgument = "parse"

// OpenBodyFunc returns the Writer for a body.
type OpenBodyFunc func(Header) (io.Writer, error)

// RunParser parses a file in a child process. When the child's header has come, RunParser calls
// open for the Writer of the body. The error is a *Failure, an error of open or of its Writer, or
// the cause of ctx.
func RunParser(ctx context.Context, programs Programs, kind Kind, file io.Reader, open OpenBodyFunc) error {
	in, done, err := descriptor(file)
	if err != nil {
		return err
	}
	out := &parserOutput{kind: kind, open: open}
	err = programs.Run(ctx, program.Program{
		Name: ParserArgument + " " + string(kind), Parser: true, Args: []string{ParserArgument, string(kind)},
		Stdin:  in,
		Stdout: out, Timeout: Timeout,
	})
	done()
	var ended *program.ExitError
	switch {
	case out.err != nil:
		return out.err
	case errors.As(err, &ended):
		return failureOf(ended)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return NewFailure(ReasonTimeout)
	case err == nil && !out.opened:
		return errHeader
	}
	return err
}

// descriptor returns a descriptor from which a child can read the file: the file itself, or a pipe.
// The caller calls done after the child's end.
func descriptor(file io.Reader) (in *os.File, done func(), err error) {
	if f, ok := file.(*os.File); ok {
		return f, func() {}, nil
	}
	in, end, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(end, file) // Copy fails if the child stops reading; the child then says why
		_ = end.Close()
	}()
	return in, func() {
		_ = in.Close()
		<-copied
	}, nil
}

// failureOf returns the failure of a child that has ended with an error. A child that wrote no
// Failure was ended by its limits.
func failureOf(ended *program.ExitError) error {
	f := new(Failure)
	if protocol.DecodeStrict([]byte(ended.LastLine), f) == nil {
		return f
	}
	status, _ := ended.State.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGKILL || status.ExitStatus() == crashed {
		return NewFailure(ReasonOutOfMemory)
	}
	return NewFailure(ReasonDamaged)
}

// crashed is the exit status of a Go program that its runtime ends, for example for lack of memory.
const crashed = 2

// parserOutput reads the header and the body from a child's standard output.
type parserOutput struct {
	kind   Kind
	open   OpenBodyFunc
	head   []byte // the header's line, as far as it has come
	opened bool
	body   io.Writer
	size   int64 // bytes of the body that have come so far
	err    error // error of a failed Write of the body
}

func (a *parserOutput) Write(p []byte) (int, error) {
	if a.err = a.take(p); a.err != nil {
		return 0, a.err
	}
	return len(p), nil
}

func (a *parserOutput) take(p []byte) error {
	if !a.opened {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		if len(a.head)+len(line) > maxHeader {
			return errHeader
		}
		if a.head = append(a.head, line...); !found {
			return nil
		}
		var h Header
		if err := protocol.DecodeStrict(a.head, &h); err != nil || h.Validate(a.kind) != nil {
			return errHeader
		}
		var err error
		if a.body, err = a.open(h); err != nil {
			return err
		}
		a.opened, a.head, p = true, nil, rest
	}
	if a.size += int64(len(p)); a.size > MaxOutput {
		return NewFailure(ReasonTooMuchContent)
	}
	if len(p) == 0 {
		return nil
	}
	_, err := a.body.Write(p)
	return err
}
