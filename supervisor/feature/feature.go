package feature

import (
	"context"
	"net/http"
)

// Feature is the contribution of one capability to the service. An empty list adds nothing of its
// kind.
type Feature struct {
	Name      string // the name of its folder
	Commands  []Command
	HostCalls []HostCall
	Effects   []Effect
	Settings  []Setting
	Calls     []Call
	Routes    []Route
	Parts     []Part
}

// Effect is a change of the outside world or of stored data that a user's rules decide about.
type Effect struct {
	Name string // the name in the configuration's approvals
	Rule string // allow, ask, step_up or deny: the default rule
}

// Route is a kind of request that the public listener answers.
type Route struct {
	Method string
	Path   string // the exact path; there is only one spelling
	// maximum of a request's body in bytes; reading further fails with *http.MaxBytesError. 0
	// allows no body
	Limit   int64
	Handler http.Handler
}

// Part is something that runs for as long as the service does. Parts of features start after the
// sessions and before the commands, in the order of the features. They stop in the reverse order.
type Part struct {
	Name string
	Run  func(context.Context) error // returns when its context has ended
	// Early starts the part after the workers and before the sessions, which need it for their
	// answers.
	Early bool
}
