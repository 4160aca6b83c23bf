package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The causes for which a connection ends by itself. They are wrapped: test for them with errors.Is.
var (
	// ErrClosed marks what was attempted on a connection that has ended; the cause is wrapped beside it.
	ErrClosed = errors.New("connection closed")
	// ErrProtocol is the other side breaking the rules of the wire. It is hostile or broken, not mistaken.
	ErrProtocol = errors.New("protocol broken by the other side")
	// ErrStalled is the other side not reading.
	ErrStalled = errors.New("the other side does not read")
	// ErrTooLong is a line over Options.MaxLine: to a caller it is about its own, and nothing was sent.
	ErrTooLong = errors.New("line too long")
	// ErrCancelled is the cause of a handler's context that ended because the caller sent cancel.
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
	CodeFailed         = -32004 // attempted, did not work; the message may be shown
)

// Error is the error object of a response. As an error of a Handler it travels as it is.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error makes *Error an error.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// MethodNotFound is the answer to a method that the handler does not know.
func MethodNotFound(method string) *Error {
	return &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf("no method %s", quote([]byte(method)))}
}

// MethodCancel ends a call of the sender's: its handler's context ends, and it is still answered. A notification that
// the connection itself sends and takes; an id that is not open is ignored, because the answer may be under way.
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

// Decode fills params, a pointer to the method's struct, as Strict does; nil stands for a method without parameters.
// The error is an *Error with CodeInvalidParams that names what is wrong.
func (r *Request) Decode(params any) error {
	err := r.decode(params)
	if err == nil {
		return nil
	}
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("%s: %v", r.Method, err)}
}

func (r *Request) decode(params any) error {
	switch {
	case params != nil && r.Params != nil:
		return DecodeStrict(r.Params, params)
	case params != nil:
		return errors.New("no parameters")
	case r.Params != nil && !bytes.Equal(r.Params, []byte("{}")):
		return errors.New("parameters given, but none are taken")
	}
	return nil
}

// Handler answers what the other side of a connection sends.
type Handler interface {
	// Call answers one call, in a goroutine of its own. ctx ends on cancel from the caller (with ErrCancelled as its
	// cause) and when the connection ends. A nil result travels as null. An *Error travels as it is; the error of a
	// context that the caller cancelled travels as CodeCancelled; any other travels as CodeInternal with its text
	// withheld, and Options.Report gets the whole. Calls begin in no particular order, also as seen from Notify; only
	// those of blob.* are answered one after the other as they arrived.
	Call(ctx context.Context, req *Request) (any, error)
	// Notify takes a notification, on the reader's goroutine, in the order of arrival. It must not block, and must not
	// wait for an answer from the same connection: while it runs nothing is read.
	Notify(req *Request)
}
