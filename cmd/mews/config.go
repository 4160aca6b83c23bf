package main

import (
	"context"
	"errors"
	"io/fs"

	"mews/config"
	"mews/supervisor/app"
	"mews/supervisor/control"
)

// loadConfig reads the configuration that a verb runs on: the file explicit, else the first that is
// found, else none at all. path is the file's, "" for none.
func loadConfig(explicit string) (cfg *config.Config, path string, err error) {
	return loadConfigAs(explicit, false)
}

// loadConfigAs reads a configuration. A client needs none of its secrets.
func loadConfigAs(explicit string, client bool) (cfg *config.Config, path string, err error) {
	env, err := config.OS(app.Effects())
	if err != nil {
		return nil, "", err
	}
	env.Client = client
	if path = config.Find(explicit, env); path == "" {
		cfg, err = config.Local(env)
		return cfg, "", err
	}
	cfg, err = config.Load(path, env)
	if client && path == serviceConfig && errors.Is(err, fs.ErrPermission) {
		// who may only reach the socket may not read it
		return &config.Config{State: serviceState, File: path, Client: true}, path, nil
	}
	return cfg, path, err
}

// Where the configuration and the state of a service are that deploy/systemd/mews.service starts.
const (
	serviceConfig = "/etc/mews/mews.yaml"
	serviceState  = "/var/lib/mews"
)

// findConfig reads a configuration for a verb that asks the service, and needs its secrets only
// where none runs: an admin's own account may not read them.
func findConfig(explicit string) (*config.Config, error) {
	cfg, _, err := loadConfigAs(explicit, true)
	return cfg, err
}

// ask asks the service at a socket; a test replaces it.
var ask = control.Ask

// askFor asks the running service for what a method tells.
func askFor[R any](ctx context.Context, cfg *config.Config, method string, params any) (report R, err error) {
	err = ask(ctx, app.SocketPath(cfg), method, params, &report)
	return report, err
}
