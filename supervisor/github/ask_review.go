package github

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor/github/patch"
	"mews/supervisor/internal/retry"
)

// progressEvery is the interval at which the client asks for a review's progress.
const progressEvery = 300 * time.Millisecond

// ServiceCaller sends a request to the running service over its control socket.
type ServiceCaller func(method string, params, answer any) error

// RequestReview requests a review from the running service and waits for its end. If diff is nil,
// the review is about a pull request. RequestReview writes the review's progress to progress.
func RequestReview(ctx context.Context, ask ServiceCaller, q ReviewRequest, diff []byte, progress io.Writer) (
	result patch.ReviewResult, err error) {
	if len(diff) > patch.MaxDiffBytes {
		return result, fmt.Errorf(textLongDiff, amount.BinarySize(int64(len(diff))),
			amount.BinarySize(patch.MaxDiffBytes))
	}
	for len(diff) > 0 {
		var ref protocol.BlobRef
		n := min(len(diff), MaxDiffPartBytes)
		if err := ask(MethodReviewDiffPart, DiffPart{User: q.User, Data: diff[:n]}, &ref); err != nil {
			return result, err
		}
		q.Parts, diff = append(q.Parts, ref.SHA256), diff[n:]
	}
	var started StartedReview
	if err := ask(MethodReviewStart, q, &started); err != nil {
		return result, err
	}
	started.User = q.User
	fmt.Fprint(progress, textReviewing)
	for told, since := int64(0), time.Now(); ; {
		var l ReviewProgress
		if err := ask(MethodReviewProgress, started, &l); err != nil {
			return result, err
		}
		if l.Done {
			return *l.Result, nil
		}
		if l.Windows > told {
			told = l.Windows
			of := amount.Plural(int(told), "part or finding", "parts and findings")
			fmt.Fprintf(progress, textReviewed, of, amount.FormatDuration(time.Since(since)))
		}
		if !retry.Sleep(ctx, progressEvery) {
			return result, context.Cause(ctx)
		}
	}
}

// GitDiff returns git's diff between two commits; between is for example main..HEAD.
func GitDiff(ctx context.Context, between string) ([]byte, error) {
	if strings.HasPrefix(between, "-") || !strings.Contains(between, "..") {
		return nil, fmt.Errorf(textWrongRange, between)
	}
	// The repository's configuration must not run a program: no external diff, text conversion or
	// file watcher, and no fetch for a partial clone. It must not hide a file either.
	git := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "diff", "--no-ext-diff", "--no-textconv",
		"--no-color", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
		"--ignore-submodules=none", "--no-relative", between, "--")
	git.Env = append(os.Environ(), "GIT_ALLOW_PROTOCOL=none")
	var stderr bytes.Buffer
	git.Stderr = &stderr
	text, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w: %s", between, err, strings.TrimSpace(stderr.String()))
	}
	return text, nil
}
