// Package services is the feature by which assistants call the services that an admin has
// configured: other programs with an API over HTTP, such as Home Assistant.
//
// The model names a service, and the supervisor makes the call. It adds the secret of the service
// last, and takes it out of the answer. A call is a read or a write, by the method and the
// configured list of reads. A write needs the user's permission.
package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/internal/redact"
	"mews/supervisor/sqlite"
	"mews/supervisor/usage"
)

// Service is a configured service.
type Service struct {
	Name    string
	BaseURL string
	// Methods has the allowed methods of HTTP, each with its access; empty means GET, as a read.
	Methods map[string]Access
	// Reads lists calls that only read although their method writes, such as POST /find.
	Reads           []string
	Auth            Auth
	Headers, Params map[string]string // of each call; Params replace those of the model
	Description     string
	Notes           string
	AllowPathSuffix bool
	MaxResponse     int64 // bytes; 0 means the limits of the web
	Timeout         time.Duration
	Price           int64 // of one call, in millionths of a dollar
	Trusted         bool  // only the household writes what the service answers
	// IdempotencyHeader is the header by which the service recognises a repeated call; "" means
	// that it does not.
	IdempotencyHeader string
	CAFile            string
	Users             []string // names of the users who may call; empty means all
}

// Access says whether a call changes something.
type Access string

const (
	AccessRead  Access = "read"
	AccessWrite Access = "write"
)

// Approver asks for permission for an effect.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// Options are the dependencies of Services.
type Options struct {
	Client   *egress.Client
	Calls    *external.Calls
	Approver Approver
	Effects  sqlite.Effects
	Turns    sqlite.Turns
	// Pay sets a charge aside, and runs do. It charges the turn's user if do says so.
	Pay   func(ctx context.Context, t feature.Turn, c usage.Charge, do func() (charged bool, err error)) error
	Audit func(user, action, detail string) // writes to the audit log; never blocks
}

// Services calls the configured services. Its methods may be called from any goroutine.
type Services struct {
	o    Options
	list atomic.Pointer[[]*entry]
}

// entry is a service that is in force.
type entry struct {
	Service
	base     string           // normalised base URL, without a slash at its end
	upstream *egress.Upstream // nil if the service is off
	off      string           // why the service is off, for people; "" means that it is on
	redactor redact.Redactor
}

// New makes Services without any service.
func New(o Options) *Services { return &Services{o: o} }

// Names of the effects in approvals.
const (
	EffectRead  = "service_read"
	EffectWrite = "service_write"
)

// Feature returns the host calls, the command and the effects of services.
func (s *Services) Feature() feature.Feature {
	allow, ask := string(approval.RuleAllow), string(approval.RuleAsk)
	return feature.Feature{Name: "services", HostCalls: s.hostCalls(), Commands: s.commands(),
		Effects: []feature.Effect{{Name: EffectRead, Rule: allow},
			{Name: EffectWrite, Rule: ask, Tainted: ask}}}
}

// SetServices replaces the services. A service that can't be called is off, and the error names it.
func (s *Services) SetServices(list []Service) error {
	var errs []error
	all := []*entry{}
	for _, service := range list {
		e := &entry{Service: service, redactor: redact.New(service.Auth.Secret)}
		if err := e.open(s.o.Client); err != nil {
			errs = append(errs, err)
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *entry) int { return strings.Compare(a.Name, b.Name) })
	s.list.Store(&all)
	return errors.Join(errs...)
}

// open makes the upstream of the service, or notes why the service is off.
func (e *entry) open(client *egress.Client) error {
	if e.Auth.lacksSecret() {
		e.off = textNoSecret
		return nil
	}
	upstream, err := client.NewUpstream(egress.UpstreamOptions{Name: fmt.Sprintf(textService, e.Name),
		BaseURL: e.BaseURL, CAFile: e.CAFile, MaxResponse: e.MaxResponse, Timeout: e.Timeout})
	var base egress.Address
	if err == nil {
		base, err = upstream.Address(e.BaseURL)
	}
	if err != nil {
		e.off = textUnusable
		if known := new(supervisor.Error); errors.As(err, &known) {
			return fmt.Errorf("services.%s.base_url: %s", e.Name, known.Message)
		}
		return fmt.Errorf("services.%s: %w", e.Name, err)
	}
	e.upstream, e.base = upstream, strings.TrimRight(base.Reveal(), "/")
	return nil
}

// servicesOf returns the services that a user may call, sorted by name. It includes those that are
// off.
func (s *Services) servicesOf(user string) (list []*entry) {
	all := s.list.Load()
	if all == nil {
		return nil
	}
	for _, e := range *all {
		if len(e.Users) == 0 || slices.Contains(e.Users, user) {
			list = append(list, e)
		}
	}
	return list
}

// find returns a service that the user may call. Its errors are for the model.
func (s *Services) find(user, name string) (*entry, error) {
	var names []string
	for _, e := range s.servicesOf(user) {
		switch {
		case e.Name == name && e.off == "":
			return e, nil
		case e.Name == name:
			return nil, supervisor.Errorf(supervisor.CodeUnavailable, textIsOff, name, e.off)
		case e.off == "":
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil, supervisor.Errorf(supervisor.CodeNotFound, textNoServices)
	}
	return nil, supervisor.Errorf(supervisor.CodeNotFound, textUnknownService, name, strings.Join(names, ", "))
}

// access returns whether a call reads or writes. A method that is not allowed is an error for the
// model.
func (e *entry) access(method, suffix string) (Access, error) {
	access, ok := e.methods()[method]
	if !ok {
		return "", supervisor.Errorf(supervisor.CodeForbidden, textMethod, e.Name, method, describeMethods(e.methods()))
	}
	if slices.Contains(e.Reads, method+" /"+strings.TrimPrefix(suffix, "/")) {
		return AccessRead, nil
	}
	return access, nil
}

// methods returns the allowed methods.
func (e *entry) methods() map[string]Access {
	if len(e.Methods) == 0 {
		return map[string]Access{"GET": AccessRead}
	}
	return e.Methods
}

// describeMethods lists methods with their access, such as: GET (read), POST (write).
func describeMethods(methods map[string]Access) string {
	var all []string
	for method, access := range methods {
		all = append(all, fmt.Sprintf("%s (%s)", method, access))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
