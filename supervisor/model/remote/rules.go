package remote

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// Errors of requests that can't be sent, and of answers that broke off or are invalid.
var (
	ErrUnsendable = errors.New("the conversation cannot be put into the API's form")
	ErrCutOff     = errors.New("the stream ended before the answer did")
	ErrTooLong    = errors.New("the answer is over the limit of bytes")
	ErrNotEvent   = errors.New("what came is nothing of the API's")
	ErrEmpty      = errors.New("an answer without text and calls")
	ErrNoName     = errors.New("a tool call without a name")
)

// ErrorRule is a kind of errors, with its class and the message for users. Rules are tried in
// order. In a message, {model} becomes `the model "m"`, and {name} becomes its name. {provider},
// {host}, {api}, {status}, {wait} and {again} become their values.
type ErrorRule struct {
	matches func(error) bool
	class   modelcall.Class
	message string
}

// transient are the classes of errors that may pass without any change.
var transient = map[modelcall.Class]bool{
	modelcall.RateLimited: true, modelcall.Overloaded: true, modelcall.Server: true,
	modelcall.Network: true, modelcall.Stalled: true, modelcall.Cut: true,
}

func (r ErrorRule) code() supervisor.Code {
	if transient[r.class] {
		return supervisor.CodeUnavailable
	}
	return supervisor.CodeModel
}

// OnRefusal returns a rule for the refusals that match accepts.
func OnRefusal(match func(*Refusal) bool, class modelcall.Class, message string) ErrorRule {
	return ErrorRule{func(err error) bool { r := RefusalIn(err); return r != nil && match(r) }, class, message}
}

// AnyRefusal matches all refusals.
func AnyRefusal(*Refusal) bool { return true }

// OnError returns a rule for an error that wraps target.
func OnError(target error, class modelcall.Class, message string) ErrorRule {
	return ErrorRule{func(err error) bool { return errors.Is(err, target) }, class, message}
}

// as turns a matcher for errors of type E into a matcher for all errors.
func as[E error](match func(E) bool) func(error) bool {
	return func(err error) bool {
		var found E
		return errors.As(err, &found) && match(found)
	}
}

// OnAnyError returns the last rules of a provider, which match every other error. These are bad
// answers, silent endpoints, and requests that did not reach the endpoint. api is the API's name.
// hint is advice if an endpoint did not answer in time.
func OnAnyError(api, hint string) []ErrorRule {
	return []ErrorRule{
		{as(func(*idleTimeout) bool { return true }), modelcall.Stalled, textIdle},
		OnError(ErrUnsendable, modelcall.Refused, textUnsendable),
		OnError(ErrTooLong, modelcall.Malformed, textAnswerTooLong),
		OnError(ErrCutOff, modelcall.Cut, textCutOff),
		OnError(ErrNotEvent, modelcall.Malformed, fill(textNotEvent, "{api}", api)),
		OnError(ErrEmpty, modelcall.Empty, textEmpty),
		OnError(ErrNoName, modelcall.Malformed, textNoName),
		OnError(syscall.ECONNREFUSED, modelcall.Network, textNotListening),
		{as(func(e *net.DNSError) bool { return !e.IsTimeout }), modelcall.Network, textUnknownHost},
		{as(func(*tls.CertificateVerificationError) bool { return true }), modelcall.Network, textCertificate},
		{as(net.Error.Timeout), modelcall.Network, textTimeout + hint},
		{func(error) bool { return true }, modelcall.Network, textConnection},
	}
}
