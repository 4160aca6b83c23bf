package main

import (
	"context"
	"errors"
	"strings"

	"mews/protocol"
	"mews/supervisor/schedule"
)

// jobVerb runs `mews job`.
func jobVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "job")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagJobUser)
	task := set.Bool("task", false, flagJobTask)
	name := set.String("name", "", flagJobName)
	check := protocol.CheckArguments{}
	set.StringVar(&check.Files, "files", "", flagJobFiles)
	set.StringVar(&check.Command, "command", "", flagJobCommand)
	set.StringVar(&check.URL, "url", "", flagJobURL)
	set.StringVar(&check.Contains, "contains", "", flagJobContains)
	set.StringVar(&check.Ask, "ask", "", flagJobAsk)
	set.BoolVar(&check.AutoRemove, "auto-remove", false, flagJobAutoRemove)
	set.BoolVar(&check.NotifyOnCheck, "notify-on-check", false, flagJobNotify)
	options := settingFlags{}
	set.Var(options, "set", flagJobSet)
	asJSON := set.Bool("json", false, flagJSON)
	words, cfg, err := parseClient(set, file, args, 0, 1000)
	if err != nil {
		return err
	}
	q := schedule.JobRequest{User: *user, Task: *task, Name: *name, Check: check, Set: options}
	if len(words) > 0 {
		q.Action, words = words[0], words[1:]
	}
	if q.Action != "add" && len(words) > 0 {
		q.Job, words = words[0], words[1:]
	}
	q.Words = strings.Join(words, " ")
	return askAndShow(ctx, con, cfg, schedule.MethodJob, q, *asJSON, schedule.JobReport.Text)
}

// settingFlags are NAME=VALUE flags, which may be repeated.
type settingFlags map[string]string

// String returns "": there is no default.
func (settingFlags) String() string { return "" }

// Set adds a setting.
func (s settingFlags) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return errors.New("want NAME=VALUE")
	}
	s[name] = value
	return nil
}
