package github

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/github/address"
	"mews/supervisor/github/finding"
	"mews/supervisor/github/patch"
	"mews/supervisor/github/review"
	"mews/supervisor/problem"
)

// Methods of the control socket for all users, about their own reviews. Their parameters may name a
// user: users may name themselves, and admins any user. "" means the user of the caller's account.
const (
	MethodReviewDiffPart = "review.part"  // parameters DiffPart, result protocol.BlobRef
	MethodReviewStart    = "review.start" // parameters ReviewRequest, result StartedReview
	MethodReviewProgress = "review.look"  // parameters StartedReview, result ReviewProgress
)

// MaxDiffPartBytes is the maximum size of a DiffPart, in bytes.
const MaxDiffPartBytes = 192 << 10

// DiffPart is a part of a diff, small enough for one call.
type DiffPart struct {
	User string `json:"user,omitempty"`
	Data []byte `json:"data"`
}

func (p DiffPart) user() string { return p.User }

// ReviewRequest has the parameters of MethodReviewStart: a pull request or a diff.
type ReviewRequest struct {
	User    string `json:"user,omitempty"`
	Address string `json:"address,omitempty"` // address of the pull request
	// whether the review is posted on GitHub, like a review that was requested in a chat
	Post  bool     `json:"post,omitempty"`
	Title string   `json:"title,omitempty"` // title of the diff
	Parts []string `json:"parts,omitempty"` // SHA-256 of each part of the diff, in order
}

func (q ReviewRequest) user() string { return q.User }

// StartedReview identifies a started review.
type StartedReview struct {
	User         string    `json:"user,omitempty"`
	Conversation int64     `json:"conversation,omitempty"`
	Inbound      int64     `json:"inbound,omitempty"`
	Repo         string    `json:"repo,omitempty"` // Repo, Number and At are set only if the review is posted
	Number       int       `json:"number,omitempty"`
	At           time.Time `json:"at,omitzero"`
}

func (q StartedReview) user() string { return q.User }

// patches reviews diffs from users' machines, and reports the progress of reviews that were
// requested at the terminal.
type patches struct{ *GitHub }

// calls returns the calls for users' own reviews.
func (s patches) calls() []feature.ControlCall {
	return []feature.ControlCall{ownCall(MethodReviewDiffPart, "", s.part),
		ownCall(MethodReviewStart, MethodReviewStart, s.start), ownCall(MethodReviewProgress, "", s.progress)}
}

// ownCall returns a call that acts for the user whom its parameters name. action is the audit's
// action for calls of an admin for another user; "" means none.
func ownCall[Q interface{ user() string }, R any](name, action string,
	do func(context.Context, supervisor.User, Q) (R, error)) feature.ControlCall {
	return feature.NewControlCall(name, func(ctx context.Context, by feature.Caller, q Q) (r R, err error) {
		u, err := by.UserFor(q.user(), action)
		if err != nil {
			return r, err
		}
		return do(ctx, u, q)
	})
}

// part stores a part of a diff in the spool.
func (s patches) part(ctx context.Context, u supervisor.User, p DiffPart) (ref protocol.BlobRef, err error) {
	if len(p.Data) == 0 || len(p.Data) > MaxDiffPartBytes {
		return ref, supervisor.Errorf(supervisor.CodeInvalid, textPartSize, MaxDiffPartBytes)
	}
	ref, err = s.o.Spool.StoreBytes("part.diff", p.Data)
	return ref, errors.Join(err, s.o.Blobs.AddOwner(ctx, u.Name, ref, 0))
}

// start starts a review.
func (s patches) start(ctx context.Context, u supervisor.User, q ReviewRequest) (started StartedReview, err error) {
	repo, number, named := address.Parse(q.Address)
	if q.Address != "" && !named {
		return started, supervisor.Errorf(supervisor.CodeInvalid, textNoAddress, q.Address)
	}
	if q.Post {
		at := s.o.Now()
		_, err = s.requestReview(ctx, u, q.Address, at)
		return StartedReview{Repo: repo, Number: number, At: at}, err
	}
	p := patch.Patch{Title: q.Title}
	if q.Address != "" {
		p, err = s.pull(ctx, u, repo, number)
	} else {
		p.Diff, err = s.joined(ctx, u, q.Parts)
	}
	if err == nil {
		_, _, err = p.ReviewMaterial()
	}
	if err != nil {
		return started, err
	}
	s.dropAbandoned(ctx, u.Name)
	text, err := json.Marshal(p)
	if err != nil {
		return started, err
	}
	kept, err := s.o.Spool.StoreBytes("patch.json", text)
	if err != nil {
		return started, err
	}
	in, err := s.begin(ctx, supervisor.Inbound{
		Source: supervisor.SourceGitHubWorkRequest, Key: fmt.Sprint(s.o.Now().UnixNano()), Kind: supervisor.KindReview,
		Conversation: supervisor.Conversation{User: u.Name, Channel: supervisor.ChannelGitHub,
			Chat: cmp.Or(p.Repo, ownDiffs), Thread: patchPrefix + kept.SHA256},
		Text: fmt.Sprintf(textPatchInbound, len(p.Diff)),
	})
	if err == nil {
		s.o.Audit(u.Name, auditRequested, fmt.Sprintf("review of %s, %d bytes", in.Conversation.Chat, len(p.Diff)))
	}
	return StartedReview{Conversation: in.Conversation.ID, Inbound: in.ID}, err
}

// abandoned is the age after which an unread result is deleted.
const abandoned = time.Hour

// dropAbandoned deletes results that no client has fetched. If that fails, the next review tries
// again.
func (s patches) dropAbandoned(ctx context.Context, user string) {
	ids, err := s.o.Outbox.ListAbandonedDeliveries(ctx, user, s.o.Now().Add(-abandoned))
	for _, id := range ids {
		err = errors.Join(err, s.o.Outbox.MarkDelivered(ctx, id))
	}
	if err != nil {
		s.o.Log.Warn("drop what nobody has come for", "user", user, "error", err)
	}
}

// Chat and thread of the conversation in which a diff is reviewed. In the conversation of a pull
// request's review, these are the repository and the number.
const (
	ownDiffs    = "diff"
	patchPrefix = "diff/"
)

// pull returns the diff of a pull request. Only the repository's user and admins may get it.
func (s patches) pull(ctx context.Context, u supervisor.User, name string, number int) (p patch.Patch, err error) {
	repo, served := s.FindRepo(name)
	if !served || repo.User != u.Name && u.Role != supervisor.RoleAdmin {
		return p, supervisor.Errorf(supervisor.CodeNotFound, textNoPull, name)
	}
	pull, err := s.o.Client.PullRequest(ctx, repo.Name, number)
	if err != nil {
		return p, err
	}
	p = patch.Patch{Repo: repo.Name, Number: number, Title: pull.Title, Description: pull.Body}
	if p.Diff, err = s.o.Client.Diff(ctx, repo.Name, number); err != nil {
		return p, err
	}
	paths, err := p.ModifiedPaths()
	if err != nil {
		return p, err
	}
	p.Heads = map[string]string{}
	heads, err := s.o.Client.FileTexts(ctx, repo.Name, pull.Head.SHA, paths[:min(len(paths), maxHeadFiles)])
	for path, text := range heads {
		p.Heads[path] = finding.VisibleCode(text)
	}
	return p, err
}

// maxHeadFiles is the maximum number of files whose version after the change is read.
const maxHeadFiles = 50

// joined joins the parts of a diff. They must have come from the same user.
func (s patches) joined(ctx context.Context, u supervisor.User, parts []string) (string, error) {
	var b strings.Builder
	for _, sha := range parts {
		size, owns, err := s.o.Blobs.IsOwner(ctx, u.Name, sha)
		if err != nil || !owns || int64(b.Len())+size > patch.MaxDiffBytes {
			return "", errors.Join(err, supervisor.Errorf(supervisor.CodeInvalid, textDiffSize, patch.MaxDiffBytes>>20))
		}
		text, err := s.blob(sha)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
}

// blob returns the bytes of a blob in the spool.
func (s patches) blob(sha string) ([]byte, error) {
	file, _, err := s.o.Spool.OpenBlob(sha)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// work runs the review of a diff in its turn. The turn's answer is the result as JSON, for the
// client.
func (s patches) work(ctx context.Context, turn supervisor.Turn, read review.MaterialReader) (string, error) {
	r, err := s.result(ctx, turn, read)
	refused := new(supervisor.Error)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &refused):
		s.o.Log.Error("review a diff", "user", turn.Conversation.User, "error", err)
		r = patch.ReviewResult{Failed: problem.UserText(err)}
	case err != nil:
		return "", err
	}
	text, err := json.Marshal(r)
	return string(text), err
}

func (s patches) result(ctx context.Context, turn supervisor.Turn, read review.MaterialReader) (r patch.ReviewResult,
	err error) {
	text, err := s.blob(strings.TrimPrefix(turn.Conversation.Thread, patchPrefix))
	if err != nil {
		return r, supervisor.Errorf(supervisor.CodeNotFound, textPatchGone)
	}
	var p patch.Patch
	if err := json.Unmarshal(text, &p); err != nil {
		return r, err
	}
	m, skipped, err := p.ReviewMaterial()
	if err != nil {
		return r, err
	}
	check, err := p.NewSecondLookFilter()
	if err != nil {
		return r, err
	}
	defer s.AwaitChecks(turn.ID, check)()
	var report protocol.ReviewReport
	if len(m.Chunks) > 0 {
		if report, err = read(ctx, m); err != nil {
			return r, err
		}
	}
	if r, err = p.CheckReport(report); err != nil {
		return r, err
	}
	r.Title, r.Skipped = p.Title, skipped
	r.Cost, err = s.o.Reviews.CostOfTurn(ctx, turn.ID)
	return r, err
}
