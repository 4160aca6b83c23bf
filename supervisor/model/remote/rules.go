package remote

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// Errors of requests that can't be sent, and of answers that are incomplete or invalid.
var (
	ErrUnsendableRequest = errors.New("the conversation cannot be put into the API's form")
	ErrStreamCut         = errors.New("the stream ended before the answer did")
	ErrAnswerTooLong     = errors.New("the answer is over the limit of bytes")
	ErrInvalidEvent      = errors.New("what came is nothing of the API's")
	ErrEmptyAnswer       = errors.New("an answer without text and calls")
	ErrUnnamedCall       = errors.New("a tool call without a name")
)

// ErrorRule gives a kind of errors a class and a message for users. Rules are tried in order. In a
// message, {model} becomes `the model "m"`, and {name} becomes the model's name. {provider},
// {host}, {api}, {status}, {wait} and {again} become their values.
type ErrorRule struct {
	matches func(error) bool
	class   modelcall.ErrorClass
	message string
}

// transient has the classes of errors that may pass by themselves.
var transient = map[modelcall.ErrorClass]bool{
	modelcall.RateLimited: true, modelcall.Overloaded: true, modelcall.ServerError: true,
	modelcall.NetworkError: true, modelcall.StreamStalled: true, modelcall.StreamCut: true,
}

func (r ErrorRule) code() supervisor.ErrorCode {
	if transient[r.class] {
		return supervisor.CodeUnavailable
	}
	return supervisor.CodeModelFailed
}

// RuleForRefusal returns a rule for refusals for which match returns true.
func RuleForRefusal(match func(*Refusal) bool, class modelcall.ErrorClass, message string) ErrorRule {
	return ErrorRule{func(err error) bool { r := FindRefusal(err); return r != nil && match(r) }, class, message}
}

// MatchAnyRefusal matches all refusals.
func MatchAnyRefusal(*Refusal) bool { return true }

// RuleForError returns a rule for an error that wraps target.
func RuleForError(target error, class modelcall.ErrorClass, message string) ErrorRule {
	return ErrorRule{func(err error) bool { return errors.Is(err, target) }, class, message}
}

// as returns a matcher for any error. If the error wraps an error of type E, the matcher applies
// match to that.
func as[E error](match func(E) bool) func(error) bool {
	return func(err error) bool {
		var found E
		return errors.As(err, &found) && match(found)
	}
}

// RulesForAnyError returns the last rules of a provider, which match every remaining error. These
// errors are bad answers, silent endpoints, and requests that did not reach the endpoint. The
// argument api is the API's name. The argument hint is advice for an endpoint that did not answer
// in time.
func RulesForAnyError(api, hint string) []ErrorRule {
	return []ErrorRule{
		{as(func(*idleTimeout) bool { return true }), modelcall.StreamStalled, textIdle},
		RuleForError(ErrUnsendableRequest, modelcall.RequestRefused, textUnsendable),
		RuleForError(ErrAnswerTooLong, modelcall.MalformedAnswer, textAnswerTooLong),
		RuleForError(ErrStreamCut, modelcall.StreamCut, textCutOff),
		RuleForError(ErrInvalidEvent, modelcall.MalformedAnswer, fill(textNotEvent, "{api}", api)),
		RuleForError(ErrEmptyAnswer, modelcall.EmptyAnswer, textEmpty),
		RuleForError(ErrUnnamedCall, modelcall.MalformedAnswer, textNoName),
		RuleForError(syscall.ECONNREFUSED, modelcall.NetworkError, textNotListening),
		{as(func(e *net.DNSError) bool { return !e.IsTimeout }), modelcall.NetworkError, textUnknownHost},
		{as(func(*tls.CertificateVerificationError) bool { return true }), modelcall.NetworkError, textCertificate},
		{as(net.Error.Timeout), modelcall.NetworkError, textTimeout + hint},
		{func(error) bool { return true }, modelcall.NetworkError, textConnection},
	}
}
