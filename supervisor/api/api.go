// Package api has the calls that programs make to the service. Its own calls are about status,
// usage, models and activity; the other calls are for admins or belong to features. The control
// socket answers the calls. The API decides who may make a call. A Caller decides whose data the
// call sees. If an admin sees another user's data, the Caller records that in the audit log.
package api

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/feature"
)

// API is the table of calls that programs may make.
type API struct {
	o     Options
	calls map[string]feature.ControlCall
}

// Options are the dependencies of an API.
type Options struct {
	People *access.People
	Audit  func(user, action, detail string)
}

// New makes an API from lists of calls. Two calls with the same name are an error.
func New(o Options, lists ...[]feature.ControlCall) (*API, error) {
	a := &API{o: o, calls: map[string]feature.ControlCall{}}
	for _, list := range lists {
		for _, call := range list {
			if _, taken := a.calls[call.Name]; taken {
				return nil, fmt.Errorf("two calls are named %s", call.Name)
			}
			a.calls[call.Name] = call
		}
	}
	return a, nil
}

// AnswerCall answers a call. Unknown and suspended users may make no call.
func (a *API) AnswerCall(ctx context.Context, by feature.Caller, req *protocol.Request) (any, error) {
	call, known := a.calls[req.Method]
	switch {
	case !known:
		return nil, protocol.MethodNotFoundError(req.Method)
	case !a.o.People.IsKnown(by.UID):
		_, err := a.o.People.FindSpeaker(by.UID, "")
		return nil, err
	case call.AdminsOnly && !by.Admin:
		return nil, supervisor.Errorf(supervisor.CodeForbidden, textAdminsOnly)
	}
	return call.Answer(ctx, by, req)
}

// Caller returns the caller with a Unix user id.
func (a *API) Caller(uid uint32) feature.Caller {
	userFor := func(name, action string) (supervisor.User, error) {
		user, err := a.o.People.FindSpeaker(uid, name)
		if err != nil {
			return user, err
		}
		if own, err := a.o.People.FindSpeaker(uid, ""); action != "" && (err != nil || own.Name != user.Name) {
			a.o.Audit(user.Name, action, fmt.Sprintf("by uid %d", uid))
		}
		return user, nil
	}
	return feature.Caller{UID: uid, Admin: a.o.People.IsAdmin(uid), UserFor: userFor}
}

// MethodFunc answers a call of a process with a Unix user id.
type MethodFunc = func(ctx context.Context, uid uint32, req *protocol.Request) (any, error)

// Methods returns the calls by name, for the control socket.
func (a *API) Methods() map[string]MethodFunc {
	all := map[string]MethodFunc{}
	for name := range a.calls {
		all[name] = func(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
			return a.AnswerCall(ctx, a.Caller(uid), req)
		}
	}
	return all
}

// Call makes a call from this process, as another process would over the control socket.
func (a *API) Call(ctx context.Context, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer, err := a.AnswerCall(ctx, a.Caller(uint32(os.Getuid())), &protocol.Request{Method: method, Params: text})
	if err != nil {
		return err
	}
	if text, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(text, result)
}

// withoutParameters makes a call that takes no parameters.
func withoutParameters[R any](name string, answer func(context.Context, feature.Caller) (R,
	error)) feature.ControlCall {
	call := feature.ControlCall{Name: name}
	call.Answer = func(ctx context.Context, by feature.Caller, req *protocol.Request) (any, error) {
		if err := req.DecodeParams(nil); err != nil {
			return nil, err
		}
		return answer(ctx, by)
	}
	return call
}

// resolveUser returns the user whose data a call concerns; "" means all users. Only an admin may
// ask about all users.
func resolveUser(by feature.Caller, name, action string) (string, error) {
	if name == "" && by.Admin {
		return "", nil
	}
	user, err := by.UserFor(name, action)
	return user.Name, err
}
