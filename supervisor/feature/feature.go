package feature

import (
	"context"
	"net/http"
)

// Feature is what one capability adds to the service. An empty list adds nothing of its kind.
type Feature struct {
	Name      string // its folder's
	Commands  []Command
	HostCalls []HostCall
	Effects   []Effect
	Settings  []Setting
	Calls     []Call
	Routes    []Route
	Parts     []Part
}

// Effect is something that leaves the sandbox, or changes what is kept, by a person's rules.
type Effect struct {
	Name string // as the configuration's approvals have it
	Rule string // allow, ask, step_up or deny: what holds if no rule is set
}

// Route is a kind of request that the public listener answers.
type Route struct {
	Method string
	Path   string // as it has to be sent: a path has one spelling
	// bytes of a request's body; reading on fails with *http.MaxBytesError. 0 takes no body
	Limit   int64
	Handler http.Handler
}

// Part is something that runs for as long as the service does. Parts of features start after the
// sessions and before the commands, in the order of the features, and stop in the reverse order.
type Part struct {
	Name string
	Run  func(context.Context) error // returns when its context has ended
	// Early starts it after the workers and before the sessions, which need it for their answers.
	Early bool
}
