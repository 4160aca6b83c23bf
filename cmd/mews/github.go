package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"mews/supervisor/github"
	"mews/supervisor/github/setup"
)

func githubSubcommands() []subcommand {
	return []subcommand{
		{name: "check", run: githubCheck},
		{name: "add", run: githubAdd},
		{name: "redeliver", run: githubRedeliver},
		{name: "status", run: githubStatus},
		{name: "quiet", run: githubQuiet},
	}
}

// githubVerb runs `mews github`.
func githubVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "github", githubSubcommands(), args)
}

// askGitHub runs a subcommand that asks the service and shows its report. The function params
// defines the flags, and returns a function that makes the request from the command line's words.
// The number most limits the words of the command line.
func askGitHub[R any](ctx context.Context, con console, v subcommand, args []string, most int, method string,
	params func(set *flag.FlagSet) func(words []string) (any, error), text func(R) string) (report R, err error) {
	set, file := v.flags(con)
	asJSON := set.Bool("json", false, flagJSON)
	make := params(set)
	words, cfg, err := parseClient(set, file, args, 0, most)
	if err != nil {
		return report, err
	}
	asked, err := make(words)
	if err != nil {
		return report, err
	}
	if report, err = askFor[R](ctx, cfg, method, asked); err != nil {
		return report, err
	}
	return report, show(con.out, report, *asJSON, text)
}

// repoParams makes a request about the named repository, or about all repositories.
func repoParams(*flag.FlagSet) func([]string) (any, error) {
	return func(words []string) (any, error) { return github.RepoQuery{Repo: strings.Join(words, "")}, nil }
}

func githubCheck(ctx context.Context, con console, v subcommand, args []string) error {
	report, err := askGitHub(ctx, con, v, args, 1, github.MethodCheckSetup, repoParams, setup.Report.Text)
	if err == nil && report.HasProblem() {
		err = errors.New(textGitHubWrong)
	}
	return err
}

func githubStatus(ctx context.Context, con console, v subcommand, args []string) error {
	_, err := askGitHub(ctx, con, v, args, 1, github.MethodStatus, repoParams, github.Status.Text)
	return err
}

func githubQuiet(ctx context.Context, con console, v subcommand, args []string) error {
	_, err := askGitHub(ctx, con, v, args, 1, github.MethodMutes, func(set *flag.FlagSet) func([]string) (any, error) {
		pull, label := set.Int("pull", 0, flagQuietPull), set.String("label", "", flagQuietLabel)
		remove := set.Int64("remove", 0, flagQuietRemove)
		return func(words []string) (any, error) {
			q := github.MuteRequest{Repo: strings.Join(words, "")}
			set.Visit(func(f *flag.Flag) {
				switch f.Name {
				case "pull":
					q.Pull = pull
				case "label":
					q.Label = label
				case "remove":
					q.Remove = remove
				}
			})
			return q, nil
		}
	}, github.MuteList.Text)
	return err
}

func githubRedeliver(ctx context.Context, con console, v subcommand, args []string) error {
	report, err := askGitHub(ctx, con, v, args, 1, github.MethodRedeliver, func(set *flag.FlagSet) func([]string) (any,
		error) {
		failed := set.Bool("failed", false, flagFailed)
		return func(words []string) (any, error) {
			id, err := strconv.ParseInt(strings.Join(words, ""), 10, 64)
			if *failed == (len(words) > 0) || len(words) > 0 && (err != nil || id <= 0) {
				fmt.Fprint(con.err, textRedeliverWhat)
				return nil, errMisuse
			}
			return github.RedeliverRequest{ID: max(id, 0)}, nil
		}
	}, github.RedeliverResult.Text)
	if err == nil && len(report.Failed) > 0 {
		err = errors.New(textGitHubWrong)
	}
	return err
}
