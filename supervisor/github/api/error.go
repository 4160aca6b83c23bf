package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v66/github"

	"mews/supervisor"
)

// ErrorClass is the class of an error. Callers handle an error by its class.
type ErrorClass string

const (
	BadCredentials ErrorClass = "auth"      // GitHub does not accept the token or the App's key
	Forbidden      ErrorClass = "forbidden" // the token or the App lacks a permission
	NotFound       ErrorClass = "notfound"  // the object does not exist, or the token may not see it
	InvalidRequest ErrorClass = "invalid"   // GitHub says that the request is invalid
	AnswerTooLarge ErrorClass = "too_large" // the diff or the answer is too large
	RateLimited    ErrorClass = "limited"   // a rate limit is used up until Error.Until
	Unreachable    ErrorClass = "unreachable"
	ServerError    ErrorClass = "server" // GitHub has an internal error
)

const maxText = 300 // maximum size of GitHub's text in an Error, in bytes

// Error is the error of a failed request. It wraps a supervisor.Error with a text for users. It
// contains no token.
type Error struct {
	Class   ErrorClass
	What    string // the attempted action, such as: read pull request acme/widget#3
	Status  int    // HTTP status; 0 if there was no answer
	Text    string // GitHub's text, on one line
	Until   time.Time
	Unknown bool   // it is unknown whether GitHub has made the change
	Needs   string // missing permissions in GitHub's form, such as issues=write
	cause   *supervisor.Error
}

func newError(class ErrorClass, what string, status int, text string, cause error) *Error {
	said := classTexts[class]
	e := &Error{Class: class, What: what, Status: status, Text: text}
	e.cause = &supervisor.Error{Code: said.code, Message: fmt.Sprintf(said.message, what), Err: cause}
	return e
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "github: %s: %s", e.What, e.Class)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	if !e.Until.IsZero() {
		b.WriteString(": until " + e.Until.UTC().Format(time.RFC3339))
	}
	if e.cause.Err != nil {
		b.WriteString(": " + e.cause.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.cause }

// ErrorClassOf returns the class of the Error that err wraps; "" if there is none.
func ErrorClassOf(err error) ErrorClass {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

// explain turns the error of a call into an *Error. If ctx has ended, it returns the cause of ctx.
func (c *Client) explain(ctx context.Context, k *call, err error) error {
	var ours *Error
	var told *supervisor.Error      // told gets an error of the LimitStore
	var moved *github.ErrorResponse // moved gets a redirect that the client did not follow
	switch {
	case errors.Is(err, errNotModified):
		return errNotModified
	case errors.As(err, &ours):
		return ours
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &told):
		return fmt.Errorf("github: %s: %w", k.action, bare(err))
	case errors.As(err, &moved):
		return newError(NotFound, k.action, moved.Response.StatusCode, "it has another name now", nil)
	}
	e := newError(ServerError, k.action, 0, "", bare(err)) // no case applies: the answer has an unknown form
	e.Unknown = k.mayHaveWritten
	return e
}

// unanswered returns the error of a request without an answer.
func unanswered(k *call, unknown bool, err error) *Error {
	e := newError(Unreachable, k.action, 0, "", bare(err))
	e.Unknown = unknown
	return e
}

// bare removes the URL from an error of net/http.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

var statusClasses = map[int]ErrorClass{
	http.StatusUnauthorized: BadCredentials, http.StatusForbidden: Forbidden, http.StatusNotFound: NotFound,
	http.StatusGone:          NotFound,
	http.StatusNotAcceptable: AnswerTooLarge, http.StatusRequestEntityTooLarge: AnswerTooLarge,
	http.StatusTooManyRequests:            RateLimited,
	http.StatusUnavailableForLegalReasons: Forbidden,
}

func classOf(status int) ErrorClass {
	if status >= http.StatusInternalServerError {
		return ServerError
	}
	return cmp.Or(statusClasses[status], InvalidRequest)
}

// refusalText returns GitHub's text in a refusal, on one line.
func refusalText(body []byte) string {
	var said struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	parts := []string{said.Message}
	for _, raw := range said.Errors {
		parts = append(parts, refusalPart(raw))
	}
	return oneLine(strings.Join(parts, "; "))
}

// refusalPart returns the text for one error in a refusal. GitHub writes it as a text, or as an
// object that names a field.
func refusalPart(raw json.RawMessage) string {
	var words string
	if json.Unmarshal(raw, &words) == nil {
		return words
	}
	var part struct{ Resource, Field, Code, Message string }
	if json.Unmarshal(raw, &part) != nil {
		return ""
	}
	return cmp.Or(part.Message, strings.Join([]string{part.Resource, part.Field, part.Code}, " "))
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}
