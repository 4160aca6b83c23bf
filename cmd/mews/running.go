package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/api"
	"mews/supervisor/app"
)

// sayWhoseService says which service a chat of `mews run --chat` uses, if a service already runs.
// That service ignores the configuration and the variables of this process.
func sayWhoseService(ctx context.Context, con console, cfg *config.Config) {
	status, err := askFor[api.Status](ctx, cfg, api.MethodStatus, nil)
	if err != nil {
		return // the chat will show the error
	}
	fmt.Fprint(con.err, runningText(status, time.Now()))
	if cfg.Local {
		sayUnusedVariables(con)
	}
}

// sayUnusedVariables names the variables of this process that the running service does not use.
func sayUnusedVariables(con console) {
	env, err := config.ReadMachineEnv(app.DefaultEffectRules(), app.TaintedEffectRules())
	if names := config.LocalVariables(env); err == nil && len(names) > 0 {
		fmt.Fprintf(con.err, textVariablesUnused, strings.Join(names, ", "))
	}
}

// findRunning returns the configuration to chat with a running service, although the configuration
// of this process can't be used. nil means that no service answers.
func findRunning(ctx context.Context, file string) *config.Config {
	cfg, err := findConfig(file)
	if err == nil {
		_, err = askFor[api.Status](ctx, cfg, api.MethodStatus, nil)
	}
	if err != nil {
		return nil // the caller shows what is wrong with the configuration
	}
	return cfg
}

// sayWhatStops lists the unfinished work when a chat stops its service, and says how to keep Mews
// running.
func sayWhatStops(ctx context.Context, con console, cfg *config.Config) {
	if status, err := askFor[api.Status](ctx, cfg, api.MethodStatus, nil); err == nil {
		fmt.Fprint(con.err, stoppingText(status))
	}
}

// stoppingText describes the work of a service that stops, for people.
func stoppingText(s api.Status) string {
	var waits []string
	add := func(n int, one, many string) {
		if n > 0 {
			waits = append(waits, amount.Plural(n, one, many))
		}
	}
	add(s.Waiting.New+s.Waiting.Running, "message without an answer", "messages without an answer")
	add(s.Waiting.Deliveries, "answer to send", "answers to send")
	if s.Jobs.Count > 0 {
		add(s.Jobs.Count, "reminder or task", "reminders and tasks")
		waits = append(waits, fmt.Sprintf(textNextJob, s.Jobs.Next.Local().Format(nextJobLayout)))
	}
	text := textStops
	if len(waits) > 0 {
		text += fmt.Sprintf(textWaits, strings.Join(waits, ", "))
	}
	if len(s.Channels) > 0 {
		text += textTelegramStops
	}
	return text + textKeepRunning
}

// runningText describes a running service, for people.
func runningText(s api.Status, now time.Time) string {
	telegram := textNoTelegram
	for _, c := range s.Channels {
		if supervisor.Channel(c.Name).Capabilities().NeedsAccount {
			telegram = "Telegram"
			if c.Bot != "" {
				telegram += " @" + c.Bot
			}
		}
	}
	since := s.Since.Format(time.TimeOnly)
	if now.Sub(s.Since) >= 24*time.Hour {
		since = s.Since.Format(time.DateTime)
	}
	return fmt.Sprintf(textRunsAlready, since, s.PID, s.Model, telegram)
}
