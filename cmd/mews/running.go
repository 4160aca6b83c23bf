package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/api"
	"mews/supervisor/app"
)

// sayWhoseService says which service a chat of `mews run --chat` uses, if one runs already. Neither
// the configuration nor the variables of this process count for it.
func sayWhoseService(ctx context.Context, con console, cfg *config.Config) {
	status, err := askFor[api.Status](ctx, cfg, api.MethodStatus, nil)
	if err != nil {
		return // the chat will say why
	}
	fmt.Fprint(con.err, runningText(status, time.Now()))
	env, err := config.ReadMachineEnv(app.DefaultEffectRules())
	if names := config.LocalVariables(env); err == nil && cfg.Local && len(names) > 0 {
		fmt.Fprintf(con.err, textVariablesUnused, strings.Join(names, ", "))
	}
}

// runningText describes a running service, for people.
func runningText(s api.Status, now time.Time) string {
	telegram := textNoTelegram
	for _, c := range s.Channels {
		if supervisor.Channel(c.Name).Capabilities().NeedsAccount {
			telegram = strings.TrimSpace("Telegram " + c.Bot)
		}
	}
	since := s.Since.Format(time.TimeOnly)
	if now.Sub(s.Since) >= 24*time.Hour {
		since = s.Since.Format(time.DateTime)
	}
	return fmt.Sprintf(textRunsAlready, since, s.PID, s.Model, telegram)
}
