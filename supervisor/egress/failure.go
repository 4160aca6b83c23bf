package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"

	"mews/supervisor"
)

// Kind is the kind of a failed fetch.
type Kind string

const (
	KindAddress     Kind = "address"     // the address is refused by its spelling
	KindPrivate     Kind = "private"     // the name leads to an address that is not on the public web
	KindRedirect    Kind = "redirect"    // a redirect is refused
	KindLimit       Kind = "limit"       // the user or the turn has fetched enough
	KindUnreachable Kind = "unreachable" // no connection, or it broke
	KindCertificate Kind = "certificate" // the server could not prove its name
	KindTimeout     Kind = "timeout"     // the server is too slow
	KindTooLarge    Kind = "too_large"   // the answer is too large, or packed too tightly
	KindAnswer      Kind = "answer"      // the answer is no HTTP that can be read
)

// Failure is the cause in each *supervisor.Error of this package; errors.As finds it. It has no
// path, no query, no header and no IP address that was found.
type Failure struct {
	Kind   Kind
	Target string // host or upstream that failed; "" if no address could be read
	// Sent says that the server may have got the request, so an effect of it may have happened.
	Sent bool
}

func (f *Failure) Error() string {
	if f.Target == "" {
		return "fetch: " + string(f.Kind)
	}
	return "fetch from " + f.Target + ": " + string(f.Kind)
}

// fault is one way in which a fetch fails. As the cause of a cancelled context it says what
// cancelled the fetch.
type fault struct {
	kind Kind
	code supervisor.ErrorCode
	text string // text for people; {target} is the host or upstream
}

func (f *fault) Error() string { return string(f.kind) }

// failure returns the error of this package for a fault.
func (f *fault) failure(target string, sent bool) error {
	return &supervisor.Error{Code: f.code, Message: strings.ReplaceAll(f.text, "{target}", target),
		Err: &Failure{Kind: f.kind, Target: target, Sent: sent}}
}

var (
	faultSyntax    = &fault{KindAddress, supervisor.CodeInvalid, textSyntax}
	faultScheme    = &fault{KindAddress, supervisor.CodeInvalid, textScheme}
	faultUserInfo  = &fault{KindAddress, supervisor.CodeInvalid, textUserInfo}
	faultHost      = &fault{KindAddress, supervisor.CodeInvalid, textHost}
	faultNumber    = &fault{KindAddress, supervisor.CodeForbidden, textNumber}
	faultBase      = &fault{KindAddress, supervisor.CodeInvalid, textBase}
	faultPort      = &fault{KindAddress, supervisor.CodeForbidden, textPort}
	faultLocalName = &fault{KindAddress, supervisor.CodeForbidden, textLocalName}
	faultElsewhere = &fault{KindAddress, supervisor.CodeForbidden, textElsewhere}

	faultPrivate   = &fault{KindPrivate, supervisor.CodeForbidden, textPrivate}
	faultRedirect  = &fault{KindRedirect, supervisor.CodeForbidden, textRedirect}
	faultDowngrade = &fault{KindRedirect, supervisor.CodeForbidden, textDowngrade}
	faultRedirects = &fault{KindRedirect, supervisor.CodeUnavailable, textRedirects}

	faultTurn = &fault{KindLimit, supervisor.CodeUnavailable, textTurn}

	faultUnknownHost = &fault{KindUnreachable, supervisor.CodeNotFound, textUnknownHost}
	faultConnection  = &fault{KindUnreachable, supervisor.CodeUnavailable, textConnection}
	faultRefused     = &fault{KindUnreachable, supervisor.CodeUnavailable, textRefused}
	faultCertificate = &fault{KindCertificate, supervisor.CodeUnavailable, textCertificate}

	faultHeaders = &fault{KindTimeout, supervisor.CodeUnavailable, textHeaders}
	faultWhole   = &fault{KindTimeout, supervisor.CodeUnavailable, textWhole}
	faultSlow    = &fault{KindTimeout, supervisor.CodeUnavailable, textSlow}

	faultTooLarge = &fault{KindTooLarge, supervisor.CodeUnavailable, textTooLarge}
	faultPacked   = &fault{KindTooLarge, supervisor.CodeUnavailable, textPacked}
	faultAnswer   = &fault{KindAnswer, supervisor.CodeUnavailable, textAnswer}
	faultCut      = &fault{KindUnreachable, supervisor.CodeUnavailable, textCut}
	faultEncoding = &fault{KindAnswer, supervisor.CodeUnavailable, textEncoding}
)

// faultOf returns the fault that an error of a request without an answer means. It drops the
// error's text, which may have an address.
func faultOf(err error) *fault {
	var (
		known    *fault
		name     *net.DNSError
		cert     *tls.CertificateVerificationError
		tlsAlert tls.AlertError
		network  net.Error
		op       *net.OpError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort),
		errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort):
		return faultPrivate
	case errors.As(err, &name) && name.IsNotFound:
		return faultUnknownHost
	case errors.As(err, &cert), errors.As(err, &tlsAlert):
		return faultCertificate
	case errors.Is(err, syscall.ECONNREFUSED):
		return faultRefused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return faultHeaders
	case errors.As(err, &op), errors.As(err, &name):
		return faultConnection
	}
	return faultAnswer
}
