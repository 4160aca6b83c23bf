package main

import (
	"mews/config"
	"mews/supervisor/app"
	"mews/supervisor/approval"
)

// loadConfig reads the configuration that a verb runs on: the file explicit, else the first that is found, else none at all. path
// is the file's, "" for none.
func loadConfig(explicit string) (cfg *config.Config, path string, err error) {
	env, err := config.OS(approval.Effects())
	if err != nil {
		return nil, "", err
	}
	return loadWith(explicit, env)
}

func loadWith(explicit string, env config.Env) (cfg *config.Config, path string, err error) {
	if path = config.Find(explicit, env); path == "" {
		cfg, err = config.Local(env)
		return cfg, "", err
	}
	cfg, err = config.Load(path, env)
	return cfg, path, err
}

// findService returns the socket of a configuration's service, for a verb that only speaks to it. It needs none of the
// configuration's keys, because people who only have their own account may not read them.
func findService(explicit string) (socket string, err error) {
	env, err := config.OS(approval.Effects())
	if err != nil {
		return "", err
	}
	env.Client = true
	cfg, _, err := loadWith(explicit, env)
	if err != nil {
		return "", err
	}
	return app.SocketPath(cfg), nil
}
