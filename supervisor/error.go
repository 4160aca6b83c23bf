package supervisor

import (
	"errors"
	"fmt"
)

// Error is an error with a text for users. For any other error, users read only "internal", and the
// log has the error's text. (After benbjohnson/wtf: an error has two audiences.)
type Error struct {
	Code ErrorCode
	// text for the user: the action that failed, and what to do next; "" means that only the log
	// shows the error
	Message string
	Err     error // cause for the log; may be nil
}

// ErrorCode is the kind of an error. Programs compare codes, never texts.
type ErrorCode string

const (
	CodeInternal  ErrorCode = "internal"
	CodeInvalid   ErrorCode = "invalid"   // the request is wrong, whatever the state of the service
	CodeNotFound  ErrorCode = "not_found" // the named thing does not exist
	CodeForbidden ErrorCode = "forbidden" // the user may not make the request
	CodeConflict  ErrorCode = "conflict"  // the named thing has changed since it was read (RFC 9110, 409)
	// the request may work later: a model is down, or the disk is full
	CodeUnavailable    ErrorCode = "unavailable"
	CodeModelFailed    ErrorCode = "model"  // the model's provider refused or failed
	CodeBudgetExceeded ErrorCode = "budget" // there is not enough money left
)

// Errorf returns an Error with a message for users.
func Errorf(code ErrorCode, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return e.Message
	case e.Message == "":
		return e.Err.Error()
	}
	return e.Message + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// ErrorCodeOf returns the code of the first Error that err wraps. Without an Error it returns
// CodeInternal, and "" for nil.
func ErrorCodeOf(err error) ErrorCode {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
