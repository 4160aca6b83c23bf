package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/app"
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

// githubVerb is `mews github`.
func githubVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "github", githubSubcommands(), args)
}

// askGitHub is a subcommand that asks the service and shows what that answers. params makes what is asked of the words, of which there are at
// most so many.
func askGitHub[R any](ctx context.Context, con console, v subcommand, args []string, most int, method string,
	params func(set *flag.FlagSet) func(words []string) (any, error), print func(io.Writer, R) error) (report R, err error) {
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
	return report, show(con.out, report, *asJSON, print)
}

// ofRepo asks about the repository that is named, or about all.
func ofRepo(*flag.FlagSet) func([]string) (any, error) {
	return func(words []string) (any, error) { return app.GitHubQuestion{Repo: strings.Join(words, "")}, nil }
}

func githubCheck(ctx context.Context, con console, v subcommand, args []string) error {
	report, err := askGitHub(ctx, con, v, args, 1, app.MethodGitHubCheck, ofRepo, printGitHub)
	if err == nil && report.IsWrong() {
		err = errors.New(textGitHubWrong)
	}
	return err
}

func githubStatus(ctx context.Context, con console, v subcommand, args []string) error {
	_, err := askGitHub(ctx, con, v, args, 1, app.MethodGitHubStatus, ofRepo, app.PrintGitHubStatus)
	return err
}

func githubQuiet(ctx context.Context, con console, v subcommand, args []string) error {
	_, err := askGitHub(ctx, con, v, args, 1, app.MethodGitHubQuiet, func(set *flag.FlagSet) func([]string) (any, error) {
		pull, label := set.Int("pull", 0, flagQuietPull), set.String("label", "", flagQuietLabel)
		remove := set.Int64("remove", 0, flagQuietRemove)
		return func(words []string) (any, error) {
			return app.GitHubQuiet{Repo: strings.Join(words, ""), Pull: *pull, Label: *label, Remove: *remove}, nil
		}
	}, app.PrintGitHubMutes)
	return err
}

func githubAdd(ctx context.Context, con console, v subcommand, args []string) error {
	_, err := askGitHub(ctx, con, v, args, 1, app.MethodGitHubAdd, func(set *flag.FlagSet) func([]string) (any, error) {
		address := set.String("url", "", flagHookURL)
		return func(words []string) (any, error) {
			if len(words) == 0 {
				fmt.Fprintf(con.err, textNoName, set.Name())
				return nil, errMisuse
			}
			return app.GitHubNewRepo{Repo: words[0], URL: *address}, nil
		}
	}, func(w io.Writer, r app.GitHubAdded) error {
		_, err := fmt.Fprintf(w, "%s\n\n%s", r.Text, r.YAML)
		return err
	})
	return err
}

func githubRedeliver(ctx context.Context, con console, v subcommand, args []string) error {
	_, err := askGitHub(ctx, con, v, args, 1, app.MethodGitHubRedeliver, func(set *flag.FlagSet) func([]string) (any, error) {
		failed := set.Bool("failed", false, flagFailed)
		return func(words []string) (any, error) {
			id, err := strconv.ParseInt(strings.Join(words, ""), 10, 64)
			if *failed == (len(words) > 0) || len(words) > 0 && (err != nil || id <= 0) {
				fmt.Fprint(con.err, textRedeliverWhat)
				return nil, errMisuse
			}
			return app.GitHubRedeliver{ID: max(id, 0)}, nil
		}
	}, printRedelivered)
	return err
}

func printRedelivered(w io.Writer, r app.GitHubRedelivered) error {
	for _, d := range r.Sent {
		fmt.Fprintf(w, "%d  %s  %s\n", d.ID, d.Repo, supervisor.Printable(d.What))
	}
	if len(r.Sent) == 0 {
		_, err := fmt.Fprint(w, textNoRedelivery)
		return err
	}
	_, err := fmt.Fprint(w, textRedelivered)
	return err
}

// printGitHub prints what was found on GitHub.
func printGitHub(w io.Writer, r setup.Report) error {
	var b strings.Builder
	line := func(mark, text string) { fmt.Fprintf(&b, "%-4s  %s\n", mark, text) }
	if r.Wrong != "" {
		line("BAD", r.Wrong)
	} else {
		line("ok", fmt.Sprintf(textGitHubLogin, r.Login))
	}
	if r.Clock != "" {
		line("BAD", r.Clock)
	}
	for _, l := range r.Limits {
		line("ok", fmt.Sprintf(textGitHubLimit, l.Name, l.Left, l.Most, l.Reset.Local().Format("15:04")))
	}
	for _, repo := range r.Repos {
		fmt.Fprintf(&b, "\n%s\n", repo.Name)
		for _, l := range repo.Missing {
			line("BAD", l.Text())
		}
		for _, text := range repo.Faults {
			line("BAD", supervisor.Printable(text))
		}
		for _, text := range repo.Notes {
			line("WARN", supervisor.Printable(text))
		}
		if len(repo.Missing)+len(repo.Faults) == 0 {
			line("ok", textGitHubAllowed)
		}
		if h := repo.Hook; h != nil {
			line("", fmt.Sprintf(textGitHubHook, supervisor.Printable(h.URL), strings.Join(h.Events, ", ")))
			for _, d := range h.Last {
				line("", fmt.Sprintf("  %s  %d  %s %s: %s", d.At.Local().Format("2006-01-02 15:04:05"), d.ID, d.Event, d.Action, supervisor.Printable(d.Status)))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// repoText says what is done for a repository, and how its news come.
func repoText(cfg *config.Config, name string, r config.GitHubRepo) string {
	done := []string{textRepoNotices}
	if r.Review {
		done = append(done, fmt.Sprintf(textRepoReviews, r.Post))
	}
	if r.Triage {
		done = append(done, textRepoTriage)
	}
	way := fmt.Sprintf(textRepoAsked, cfg.GitHub.Poll)
	if cfg.Webhooks.Listen != "" {
		way = textRepoCalled
	}
	return fmt.Sprintf(textCheckedRepo, name, r.User, strings.Join(done, ", "), way)
}
