package supervisor

import (
	"errors"
	"fmt"
)

// Error is an error that a person may read. Everything else is "internal" to them and whole to the
// log. (The two audiences of an error, after benbjohnson/wtf.)
type Error struct {
	Code Code
	// whole sentences: what was tried, with what, and what to do next; "" is for the log alone
	Message string
	Err     error // for the log; may be nil
}

// Code is what a program decides by. Texts are never compared.
type Code string

const (
	CodeInternal    Code = "internal"
	CodeInvalid     Code = "invalid"     // what was sent cannot be right
	CodeNotFound    Code = "not_found"   // what was named is not there
	CodeForbidden   Code = "forbidden"   // the person may not
	CodeConflict    Code = "conflict"    // it was changed since it was looked at (RFC 9110, 409)
	CodeUnavailable Code = "unavailable" // may work later: a model that is down, a full disk
	CodeModel       Code = "model"       // the model's provider refused or failed
	CodeBudget      Code = "budget"      // there is not enough money left for it
)

// Errorf is an Error with a message for a person.
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

// ErrorCode is the code of the first Error that err wraps, CodeInternal where there is none, "" for
// nil.
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
