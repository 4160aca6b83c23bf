package main

import (
	"context"
	"errors"
	"io/fs"

	"mews/config"
	"mews/supervisor/app"
	"mews/supervisor/control"
)

// loadConfig loads a verb's configuration: the file explicit, or else the first existing file, or
// else the defaults. path is the file's path, or "" for the defaults.
func loadConfig(explicit string) (cfg *config.Config, path string, err error) {
	return loadConfigAs(explicit, false)
}

// loadConfigAs loads a configuration. A client needs no secrets.
func loadConfigAs(explicit string, client bool) (cfg *config.Config, path string, err error) {
	env, err := config.ReadMachineEnv(app.DefaultEffectRules(), app.TaintedEffectRules())
	if err != nil {
		return nil, "", err
	}
	env.Client = client
	if path = config.FindConfigFile(explicit, env); path == "" {
		cfg, err = config.LocalConfig(env)
		return cfg, "", err
	}
	cfg, err = config.Load(path, env)
	if client && path == serviceConfig && errors.Is(err, fs.ErrPermission) {
		// an account that may only reach the socket can't read the file
		return &config.Config{State: serviceState, File: path, Client: true}, path, nil
	}
	return cfg, path, err
}

// Paths of the service that deploy/systemd/mews.service starts.
const (
	serviceConfig = "/etc/mews/mews.yaml"
	serviceState  = "/var/lib/mews"
)

// findConfig loads the configuration for a verb that asks the service. It needs the secrets only if
// no service runs: an admin's own account may not read them.
func findConfig(explicit string) (*config.Config, error) {
	cfg, _, err := loadConfigAs(explicit, true)
	return cfg, err
}

// ask sends a request to the service's socket. A test replaces it.
var ask = control.CallOnce

// askFor asks the running service and returns its report.
func askFor[R any](ctx context.Context, cfg *config.Config, method string, params any) (report R, err error) {
	err = ask(ctx, app.SocketPath(cfg), method, params, &report)
	return report, err
}
