package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mews/supervisor/placement"
	"os"
	"path/filepath"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
)

// Have has the office do something: that of the running service, else one of this process, which takes the state folder's
// lock for as long as it needs. params is a struct, result a pointer to one.
func Have(ctx context.Context, cfg *config.Config, method string, params, result any) error {
	err := control.Ask(ctx, SocketPath(cfg), method, params, result)
	if gone := new(control.NotRunning); !errors.As(err, &gone) {
		return err
	}
	err = alone(ctx, cfg, func(ctx context.Context, o *office) error { return o.serve(ctx, method, params, result) })
	if starting := new(InUse); !errors.As(err, &starting) {
		return err
	}
	if err := Await(ctx, cfg); err != nil { // a service that is just starting, or another verb
		return err
	}
	return control.Ask(ctx, SocketPath(cfg), method, params, result)
}

// serve answers this process itself, in the same way as the control socket would. Who may open the state folder is an admin.
func (o *office) serve(ctx context.Context, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer, err := o.answers()[method](ctx, uint32(os.Getuid()), &protocol.Request{Method: method, Params: text})
	if err != nil {
		return err
	}
	if text, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(text, result)
}

// alone opens the state folder for one piece of work, while no service runs.
func alone(ctx context.Context, cfg *config.Config, work func(context.Context, *office) error) (err error) {
	if err := ownState(cfg.State); err != nil {
		return err
	}
	if err := keepPrivate(); err != nil {
		return err
	}
	s := &Service{Ground: Ground{Config: cfg, Log: Discard()}}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, open := range []func(context.Context) error{s.openState, s.openStore} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	go func() { written <- s.db.Run(writing) }() // waited for below
	defer func() {
		stop()
		err = errors.Join(err, <-written)
	}()
	for _, open := range []func(context.Context) error{s.openPeople, s.openSeal} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	s.codes = newConfirmations(s)
	newGate(s)
	return work(ctx, newOffice(s))
}

// ownState refuses a state folder that is another account's: what this process would make there, that one could not change.
func ownState(state string) error {
	info, err := os.Stat(filepath.Join(state, "private"))
	if err != nil { // there is none yet, or it can't be looked at, which is said by who opens it
		return nil
	}
	if owner := placement.UIDOf(info); int(owner) != os.Getuid() {
		return &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf("Mews is not running, and its state folder %s "+
			"belongs to user id %d. Run this as that account, as with `sudo -u '#%d'`, or while Mews runs.", state, owner, owner)}
	}
	return nil
}
