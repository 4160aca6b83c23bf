package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/app"
	"mews/supervisor/github/patch"
	"mews/supervisor/retry"
)

// lookEvery is how often the service is asked how far a review has come.
const lookEvery = 300 * time.Millisecond

// reviewVerb is `mews review`.
func reviewVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "review")
	file := set.String("config", "", flagConfig)
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
	asked := app.ReviewStart{Address: address, Post: *post, Title: cmp.Or(*between, *diff)}
	if address == "" {
		if asked.Parts, err = sendDiff(ctx, con, cfg, *diff, *between); err != nil {
			return err
		}
	}
	started, err := askFor[app.ReviewStarted](ctx, cfg, app.MethodReviewStart, asked)
	if err != nil {
		return err
	}
	result, err := awaitReview(ctx, con, cfg, started)
	if err == nil {
		err = show(con.out, result, *asJSON, printReview)
	}
	switch {
	case err != nil:
		return err
	case result.Failed != "":
		return errors.New(result.Failed)
	case result.Critical():
		return errors.New(textCritical)
	case len(result.Unread) > 0: // what was not read is not without fault
		return errors.New(textNotAllRead)
	}
	return nil
}

// sendDiff gives the service a diff in parts: that of a file, or of git.
func sendDiff(ctx context.Context, con console, cfg *config.Config, file, between string) (parts []string, err error) {
	text, err := readDiff(ctx, con, file, between)
	if err != nil {
		return nil, err
	}
	if len(text) > patch.MaxDiff {
		return nil, fmt.Errorf(textLongDiff, amount.Size(int64(len(text))), amount.Size(patch.MaxDiff))
	}
	for len(text) > 0 {
		n := min(len(text), app.MaxReviewPart)
		ref, err := askFor[protocol.BlobRef](ctx, cfg, app.MethodReviewPart, app.ReviewPart{Data: text[:n]})
		if err != nil {
			return nil, err
		}
		parts, text = append(parts, ref.SHA256), text[n:]
	}
	return parts, nil
}

func readDiff(ctx context.Context, con console, file, between string) ([]byte, error) {
	switch {
	case file == "-":
		return io.ReadAll(io.LimitReader(con.in, patch.MaxDiff+1))
	case file != "":
		return os.ReadFile(file)
	case strings.HasPrefix(between, "-") || !strings.Contains(between, ".."):
		return nil, fmt.Errorf(textWrongRange, between)
	}
	// Nothing that the repository configures is run: no program that makes other diffs or texts of files, none that watches them, and none
	// that fetches what a partial clone lacks. Nor has it files left out.
	git := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames",
		"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=none", "--no-relative", between, "--")
	git.Env = append(os.Environ(), "GIT_ALLOW_PROTOCOL=none")
	var stderr bytes.Buffer
	git.Stderr = &stderr
	text, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w: %s", between, err, strings.TrimSpace(stderr.String()))
	}
	return text, nil
}

// awaitReview waits for a review, and tells how far it has come.
func awaitReview(ctx context.Context, con console, cfg *config.Config, started app.ReviewStarted) (patch.Result, error) {
	fmt.Fprint(con.err, textReviewing)
	told, since := int64(0), time.Now()
	for {
		l, err := askFor[app.ReviewLook](ctx, cfg, app.MethodReviewLook, started)
		if err != nil {
			return patch.Result{}, err
		}
		if l.Done {
			return *l.Result, nil
		}
		if l.Windows > told {
			told = l.Windows
			fmt.Fprintf(con.err, textReviewed, amount.Of(int(told), "part or finding", "parts and findings"), amount.Duration(time.Since(since)))
		}
		if !retry.Wait(ctx, lookEvery) {
			return patch.Result{}, context.Cause(ctx)
		}
	}
}

// printReview prints what a review has found.
func printReview(w io.Writer, r patch.Result) error {
	if r.Failed != "" {
		return nil // it is the verb's error
	}
	var b strings.Builder
	said := func(text string) string { return supervisor.Printable(strings.Join(strings.Fields(text), " ")) }
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d: %s: %s (%s)\n", supervisor.Printable(f.Path), f.Line, f.Severity, said(f.Title), said(f.Category))
		if f.Detail != "" {
			fmt.Fprintf(&b, "    %s\n", said(f.Detail))
		}
		if f.Quote != "" {
			fmt.Fprintf(&b, "    > %s\n", said(f.Quote))
		}
	}
	switch {
	case len(r.Findings) == 0 && len(r.Unread) > 0:
		b.WriteString(textNoneInRead)
	case len(r.Findings) == 0:
		b.WriteString(textNoFindings)
	}
	if r.Verdict != "" {
		fmt.Fprintf(&b, "\n%s\n", said(r.Verdict))
	}
	for _, list := range []struct {
		format string
		of     []string
	}{{textReviewSkipped, r.Skipped}, {textReviewUnread, r.Unread}} {
		if len(list.of) > 0 {
			fmt.Fprintf(&b, list.format, said(strings.Join(list.of, "; ")))
		}
	}
	if r.Cost != nil {
		fmt.Fprintf(&b, textReviewCost, amount.Dollars(*r.Cost))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
