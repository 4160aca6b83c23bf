package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mews/supervisor/app"
	"mews/supervisor/github"
	"mews/supervisor/github/patch"
)

// reviewVerb runs `mews review`.
func reviewVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "review")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagReviewUser)
	diff := set.String("diff", "", flagDiff)
	between := set.String("range", "", flagRange)
	post := set.Bool("post", false, flagPost)
	asJSON := set.Bool("json", false, flagJSON)
	words, cfg, err := parseClient(set, file, args, 0, 1)
	if err != nil {
		return err
	}
	address := strings.Join(words, "")
	given := 0
	for _, of := range []string{address, *diff, *between} {
		if of != "" {
			given++
		}
	}
	if given != 1 || *post && address == "" {
		fmt.Fprint(con.err, textReviewWhat)
		return errMisuse
	}
	var text []byte
	if address == "" {
		if text, err = readDiff(ctx, con, *diff, *between); err != nil {
			return err
		}
	}
	asking := func(method string, params, answer any) error {
		return ask(ctx, app.SocketPath(cfg), method, params, answer)
	}
	start := github.ReviewRequest{User: *user, Address: address, Post: *post, Title: cmp.Or(*between, *diff)}
	result, err := github.RequestReview(ctx, asking, start, text, con.err)
	if err == nil {
		err = show(con.out, result, *asJSON, patch.ReviewResult.Text)
	}
	switch {
	case err != nil:
		return err
	case result.Failed != "":
		return errors.New(result.Failed)
	case result.Unposted != "":
		return errors.New(textNotPosted)
	case result.HasCritical():
		return errors.New(textCritical)
	case len(result.Unread) > 0: // not a success: an unread file may have a fault
		return errors.New(textNotAllRead)
	}
	return nil
}

// readDiff reads the diff to review. It may return one byte more than the limit.
func readDiff(ctx context.Context, con console, file, between string) ([]byte, error) {
	switch {
	case file == "-":
		return io.ReadAll(io.LimitReader(con.in, patch.MaxDiffBytes+1))
	case file != "":
		return os.ReadFile(file)
	}
	return github.GitDiff(ctx, between)
}
