package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The causes for which a connection ends by itself. They are wrapped, so errors.Is finds them.
var (
	// ErrClosed is the error of a call on a connection that has ended. The cause of the end is
	// wrapped beside it.
	ErrClosed = errors.New("connection closed")
	// ErrProtocol means that the other side has broken the rules of the wire: it is hostile or
	// broken.
	ErrProtocol = errors.New("protocol broken by the other side")
	// ErrStalled means that the other side does not read.
	ErrStalled = errors.New("the other side does not read")
	// ErrTooLong means that a line is over Options.MaxLine. A caller gets it for its own line,
	// which was not sent.
	ErrTooLong = errors.New("line too long")
	// ErrCancelled is the cause of a handler's context when the caller has sent cancel.
	ErrCancelled = errors.New("cancelled by the caller")
)

// The codes of Error. Those from -32700 to -32600 are JSON-RPC's own.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603 // its text is withheld
	CodeUnknownHash    = -32001 // a text or list named by its hash alone is not known here
	CodeCancelled      = -32002 // the caller sent cancel, and the call ended for it
	CodeBusy           = -32003 // too many calls in flight
	// the person was asked, and has not answered: the same call is to be made again when the turn
	// goes on
	CodeWaits  = -32005
	CodeFailed = -32004 // the attempt failed; the message may be shown
	CodeGone   = -32005 // as CodeFailed, of bytes that are not kept any more
)

// Error is the error object of a response. An error of a Handler that is one is sent unchanged.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error makes *Error an error.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// MethodNotFound is the error for a method that the handler does not know.
func MethodNotFound(method string) *Error {
	return &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf("no method %s", quote([]byte(method)))}
}

// MethodCancel takes back a call of the sender's: the context of its handler ends, and the call is
// still answered. It is a notification that the connection itself sends and takes. One for a call
// that is not open is ignored, because the answer may be under way.
const MethodCancel = "cancel"

// Cancel holds the parameters of cancel.
type Cancel struct {
	ID int64 `json:"id"`
}

// Request is a call or a notification as the other side sent it.
type Request struct {
	ID     int64 // 0: a notification
	Method string
	Params json.RawMessage // an object, or nil where there were none; owned by the receiver
}

// Decode fills params, a pointer to the method's struct, as DecodeStrict does; nil stands for a
// method without parameters. The error is an *Error with CodeInvalidParams that says what is wrong.
func (r *Request) Decode(params any) error {
	var err error
	switch {
	case params != nil && r.Params != nil:
		err = DecodeStrict(r.Params, params)
	case params != nil:
		err = errors.New("no parameters")
	case r.Params != nil && string(r.Params) != "{}":
		err = errors.New("parameters given, but none are taken")
	}
	if err != nil {
		return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("%s: %v", r.Method, err)}
	}
	return nil
}

// Handler answers what the other side of a connection sends.
type Handler interface {
	// Call answers one call, in a goroutine of its own. ctx ends when the caller sends cancel (its
	// cause is ErrCancelled then) and when the connection ends. A nil result is sent as null, an
	// *Error unchanged, and the error of a context that the caller cancelled as CodeCancelled. Any
	// other error is sent as CodeInternal without its text, which goes to Options.Report. Calls
	// begin in no particular order, also compared with notifications; only blob.* calls are
	// answered one after the other as they arrived.
	Call(ctx context.Context, req *Request) (any, error)
	// Notify takes a notification, on the reader's goroutine, in the order of arrival. It must not
	// block and must not wait for an answer from the same connection: nothing is read while it
	// runs.
	Notify(req *Request)
}
