package feature

import (
	"context"
	"net/http"
)

// Feature has the parts by which one capability extends the service. Empty lists add nothing.
type Feature struct {
	Name      string // the name of the feature's folder
	Commands  []Command
	HostCalls []HostCall
	Effects   []Effect
	Settings  []Setting
	Calls     []ControlCall
	Routes    []Route
	Parts     []Part
}

// Effect is a change of the outside world or of stored data. By rules it needs a user's permission.
type Effect struct {
	Name string // the effect's name in the configuration's approvals
	Rule string // the default rule: allow, ask, step_up or deny
	// Tainted is the default rule in a turn whose request has words of others. "" means the Rule.
	Tainted string
}

// Route is a path of the public listener, and the handler of its requests.
type Route struct {
	Method string
	Path   string // the exact path; there is only one spelling
	// Limit is the most bytes of a request's body; reading further fails with *http.MaxBytesError.
	// 0 allows no body.
	Limit   int64
	Handler http.Handler
}

// Part runs for as long as the service does. Parts of features start after the sessions and before
// the commands, in the order of the features. They stop in the reverse order.
type Part struct {
	Name string
	Run  func(context.Context) error // returns when its context has ended
	// Early starts the part after the workers and before the sessions. It is for parts that turns
	// need.
	Early bool
}
