package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor/github"
)

// githubAdd runs `mews github add`. It asks before it changes the address of a webhook.
func githubAdd(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	address, yes := set.String("url", "", flagHookURL), set.Bool("yes", false, flagYes)
	asJSON := set.Bool("json", false, flagJSON)
	words, cfg, err := parseClient(set, file, args, 1, 1)
	if err != nil {
		return err
	}
	request := github.AddRepoRequest{Repo: words[0], URL: *address}
	added, err := askFor[github.AddRepoResult](ctx, cfg, github.MethodAddRepo, request)
	if err == nil && added.Other != "" {
		if !*yes && !confirm(con, fmt.Sprintf(textHookAsk, added.Text)) {
			return errors.New(textHookUnchanged)
		}
		request.Replace = added.Other
		added, err = askFor[github.AddRepoResult](ctx, cfg, github.MethodAddRepo, request)
	}
	if err != nil {
		return err
	}
	if added.Other != "" { // somebody else has changed the webhook meanwhile
		return errors.New(added.Text)
	}
	return show(con.out, added, *asJSON, func(r github.AddRepoResult) string { return r.Text + "\n\n" + r.YAML })
}

// confirm asks a question on the terminal, and reports whether the answer is yes.
func confirm(con console, question string) bool {
	fmt.Fprint(con.err, question)
	lines := bufio.NewScanner(con.in)
	yes := lines.Scan() && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(lines.Text())))
	if !yes {
		fmt.Fprintln(con.err)
	}
	return yes
}
