package remote

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"

	"mews/supervisor"
)

// ErrorRule is a class of errors and what a person is told of it: a row of a table that is tried in order. In the words,
// {model} is `the model "m"`, {name} its name alone, and {provider}, {host}, {status}, {wait} and {again} are what they say.
type ErrorRule struct {
	matches func(error) bool
	class   supervisor.ModelClass
	message string
}

// transient are the classes of what may work later.
var transient = map[supervisor.ModelClass]bool{
	supervisor.ModelRateLimited: true, supervisor.ModelOverloaded: true, supervisor.ModelServer: true,
	supervisor.ModelNetwork: true, supervisor.ModelStalled: true, supervisor.ModelCut: true,
}

func (t ErrorRule) code() supervisor.Code {
	if transient[t.class] {
		return supervisor.CodeUnavailable
	}
	return supervisor.CodeModel
}

// OnRefusal is the row of an endpoint's own word of refusal, of the provider's type for it, that matches.
func OnRefusal[E error](match func(E) bool, class supervisor.ModelClass, says string) ErrorRule {
	return ErrorRule{as(match), class, says}
}

// OnError is the row of an error that the provider found.
func OnError(target error, class supervisor.ModelClass, says string) ErrorRule {
	return ErrorRule{is(target), class, says}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[E error](match func(E) bool) func(error) bool {
	return func(err error) bool {
		var found E
		return errors.As(err, &found) && match(found)
	}
}

// Any matches all errors of a type.
func Any[E error](E) bool { return true }

// OnIdle is the row of an endpoint that fell silent.
var OnIdle = ErrorRule{as(Any[*IdleTimeout]), supervisor.ModelStalled,
	`{model} of {provider} at {host} has stopped answering: nothing ` +
		`came for {wait}. Send the message again, or see whether {provider} is well.`}

// NetworkRules are the rows of what never reached the endpoint, or broke on the way; they come after all others and leave no
// error over. hint is what to do about an endpoint that did not answer in time.
func NetworkRules(hint string) []ErrorRule {
	return []ErrorRule{
		{is(syscall.ECONNREFUSED), supervisor.ModelNetwork,
			`Mews cannot reach {provider}: nothing accepts connections at {host}. Is it running there?`},
		{as(func(e *net.DNSError) bool { return !e.IsTimeout }), supervisor.ModelNetwork,
			`Mews cannot reach {provider}: the name of {host} is not known. Check its base_url and this machine's network.`},
		{as(Any[*tls.CertificateVerificationError]), supervisor.ModelNetwork,
			`Mews does not trust {provider}: the certificate of {host} is not valid. ` +
				`Check its base_url and this machine's clock.`},
		{as(net.Error.Timeout), supervisor.ModelNetwork,
			`Mews cannot reach {provider}: {host} did not answer in time. ` + hint},
		{func(error) bool { return true }, supervisor.ModelNetwork,
			`The connection to {provider} at {host} failed. Send the message again in a minute.`},
	}
}
