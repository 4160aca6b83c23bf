package supervisor

import (
	"errors"
	"fmt"
)

// Error is an error with a text for users. Users see any other error only as "internal", and the
// log has its text. (Two audiences of an error, after benbjohnson/wtf.)
type Error struct {
	Code Code
	// sentences for the user: the action that failed, and what to do next; "" means that only the
	// log has the error
	Message string
	Err     error // cause for the log; may be nil
}

// Code is the kind of an error. Programs compare codes, never texts.
type Code string

const (
	CodeInternal  Code = "internal"
	CodeInvalid   Code = "invalid"   // the request is wrong in any state
	CodeNotFound  Code = "not_found" // the named thing does not exist
	CodeForbidden Code = "forbidden" // the user may not make the request
	CodeConflict  Code = "conflict"  // the named thing has changed since it was read (RFC 9110, 409)
	// the request may work later: a model is down, or the disk is full
	CodeUnavailable Code = "unavailable"
	CodeModel       Code = "model"  // the model's provider refused or failed
	CodeBudget      Code = "budget" // there is not enough money left
)

// Errorf returns an Error with a message for users.
func Errorf(code Code, format string, args ...any) error {
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

// ErrorCode returns the code of the first Error that err wraps. Without an Error it returns
// CodeInternal, and "" for nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
