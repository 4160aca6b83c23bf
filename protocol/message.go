package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Errors of a connection. They are wrapped, so errors.Is finds them.
var (
	// ErrClosed is the error of a call on a connection that has ended. It is wrapped together with
	// the cause of the end.
	ErrClosed = errors.New("connection closed")
	// ErrProtocolBroken means that the other side has broken the rules of the wire: it is hostile
	// or broken.
	ErrProtocolBroken = errors.New("protocol broken by the other side")
	// ErrPeerStalled means that the other side does not read.
	ErrPeerStalled = errors.New("the other side does not read")
	// ErrLineTooLong means that a line is longer than Options.MaxLine. A caller gets this error for
	// its own line, which was not sent.
	ErrLineTooLong = errors.New("line too long")
	// ErrCallCancelled is the cause of a handler's context if the caller has sent cancel.
	ErrCallCancelled = errors.New("cancelled by the caller")
)

// Codes of Error. The codes from -32700 to -32600 are JSON-RPC's own.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603 // internal error; the other side does not get its text
	CodeUnknownHash    = -32001 // the other side does not know this hash of a text or list
	CodeCancelled      = -32002 // the caller sent cancel, and the call ended because of it
	CodeBusy           = -32003 // the caller has too many open calls
	CodeFailed         = -32004 // the attempt failed; the error's text may be shown to the user
	// the user has not answered yet; the worker makes the same call again when the turn goes on
	CodeWaitsForUser = -32005
	CodeBlobExpired  = -32006 // like CodeFailed, for a blob that is no longer stored
)

// Error is the error object of a response. An *Error that a Handler returns is sent unchanged.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements the interface error.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// MethodNotFoundError is the error for a method that the handler does not know.
func MethodNotFoundError(method string) *Error {
	return &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf("no method %s", quote([]byte(method)))}
}

// MethodCancel cancels a call of the sender. The context of the call's handler ends, and the call
// is still answered. It is a notification that the connection itself sends and handles. If the call
// is not open, the cancel is ignored, because the answer may be under way.
const MethodCancel = "cancel"

// CancelParams holds the parameters of cancel.
type CancelParams struct {
	ID int64 `json:"id"`
}

// Request is a call or a notification as the other side sent it.
type Request struct {
	ID     int64 // id of the call; 0 means a notification
	Method string
	Params json.RawMessage // parameters as a JSON object; nil means none; the receiver owns the bytes
}

// DecodeParams decodes the request's parameters into params as DecodeStrict does. params points to
// the method's struct; nil is for a method without parameters. The error is an *Error with
// CodeInvalidParams that describes the fault.
func (r *Request) DecodeParams(params any) error {
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

// Handler answers the calls and notifications of the other side.
type Handler interface {
	// HandleCall answers one call, in a separate goroutine. ctx ends if the caller sends cancel
	// (with the cause ErrCallCancelled) or if the connection ends. A nil result is sent as null, an
	// *Error unchanged, and the error of a cancelled context as CodeCancelled. Any other error is
	// sent as CodeInternal without its text, which goes to Options.Report. Calls begin in any
	// order, even relative to notifications. Only blob.* calls are answered one after the other as
	// they arrived.
	HandleCall(ctx context.Context, req *Request) (any, error)
	// HandleNotification handles a notification, on the reader's goroutine, in the order of
	// arrival. It must not block or wait for an answer from the same connection, because the
	// connection reads nothing meanwhile.
	HandleNotification(req *Request)
}
