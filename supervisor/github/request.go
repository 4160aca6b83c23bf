package github

import (
	"context"
	"regexp"
	"strings"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

// requests has a handler for each event that requests a review or a triage, by GitHub's event and
// action.
var requests = map[string]func(*EventHandler, context.Context, supervisor.GitHubRepo, supervisor.GitHubEvent) error{
	"pull_request opened":                 (*EventHandler).review,
	"pull_request reopened":               (*EventHandler).review,
	"pull_request ready_for_review":       (*EventHandler).review,
	"pull_request synchronize":            (*EventHandler).review,
	"pull_request edited":                 (*EventHandler).recheck,
	"pull_request unlabeled":              (*EventHandler).recheck,
	"issues opened":                       (*EventHandler).triage,
	"issue_comment created":               (*EventHandler).obey,
	"pull_request_review submitted":       (*EventHandler).obey,
	"pull_request_review_comment created": (*EventHandler).obey,
}

// request makes the request for a review or a triage that an event causes, if any.
func (e *EventHandler) request(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent) error {
	if asks, ok := requests[of.Event+" "+of.Action]; ok && of.Number > 0 {
		return asks(e, ctx, repo, of)
	}
	return nil
}

func requestOf(repo supervisor.GitHubRepo, of supervisor.GitHubEvent) supervisor.GitHubWorkRequest {
	return supervisor.GitHubWorkRequest{Repo: repo.Name, Number: of.Number, Fork: of.Fork, At: of.At}
}

func (e *EventHandler) review(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent) error {
	return e.wantReview(ctx, repo, requestOf(repo, of))
}

// recheck requests the review of a head that was skipped because of its title or labels.
func (e *EventHandler) recheck(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent) error {
	w := requestOf(repo, of)
	w.Recheck = true
	return e.wantReview(ctx, repo, w)
}

func (e *EventHandler) wantReview(ctx context.Context, repo supervisor.GitHubRepo,
	w supervisor.GitHubWorkRequest) error {
	s, err := e.o.Switches.find(ctx, repo, ServiceReviews, repo.User)
	if err != nil || !s.On || e.o.Reviews == nil {
		return err
	}
	return e.o.Reviews.AddRequest(ctx, w)
}

func (e *EventHandler) triage(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent) error {
	return e.wantTriage(ctx, repo, requestOf(repo, of))
}

func (e *EventHandler) wantTriage(ctx context.Context, repo supervisor.GitHubRepo,
	w supervisor.GitHubWorkRequest) error {
	s, err := e.o.Switches.find(ctx, repo, ServiceTriage, repo.User)
	if err != nil || !s.On || e.o.Triages == nil {
		return err
	}
	return e.o.Triages.AddRequest(ctx, w)
}

// writers are GitHub's words for users who may write in a repository. Before acting, Reviews asks
// GitHub again: the payload may be old, and a member of the owner may lack write access to this
// repository.
var writers = map[string]bool{"OWNER": true, "MEMBER": true, "COLLABORATOR": true}

// obey carries out an order in a comment: review, stop or triage.
func (e *EventHandler) obey(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent) error {
	word, rest := order(e.o.Name(), of.Text)
	w := requestOf(repo, of)
	w.Requester, w.Text = of.Sender, rest
	switch {
	// MutePullRequest asks GitHub whether the sender may write
	case word == "stop" && of.IsPull && e.o.Reviews != nil:
		return e.o.Reviews.MutePullRequest(ctx, repo.Name, of)
	case word == "review" && of.IsPull && writers[of.Association]:
		return e.wantReview(ctx, repo, w)
	case word == "triage" && !of.IsPull && writers[of.Association]:
		return e.wantTriage(ctx, repo, w)
	}
	return nil
}

// orders matches a line of a comment that begins with a name and an order.
var orders = regexp.MustCompile(`(?mi)^ {0,3}@([A-Za-z0-9_-]+(?:\[bot\])?)[,:]?[ \t]+(review|stop|triage)\b[ \t]*(.*)$`)

// order returns the first order to a name: its word in lower case, and the rest of the line. word
// is "" if there is none. Code, quotes, lists and comments in HTML hold no order.
func order(name, text string) (word, rest string) {
	for _, m := range orders.FindAllStringSubmatch(markdown.ParagraphText(text), -1) {
		if name != "" && strings.EqualFold(strings.TrimSuffix(m[1], "[bot]"), strings.TrimSuffix(name, "[bot]")) {
			return strings.ToLower(m[2]), strings.TrimSpace(m[3])
		}
	}
	return "", ""
}
