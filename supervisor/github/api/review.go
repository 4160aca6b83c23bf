package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v66/github"
)

// Review is a review of a pull request.
type Review struct {
	ID     int64
	Author string
	Bot    bool
	Body   string
	State  string // COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED or PENDING
	Head   string // SHA of the reviewed commit
	URL    string
	At     time.Time
}

// ReviewParams has the data of a review to create. The review only comments: it never approves or
// blocks.
type ReviewParams struct {
	Head     string // SHA of the commit that the comments are about
	Body     string
	Comments []ReviewCommentParams
}

// ReviewCommentParams has the data of a comment on lines of a diff. It is created with a review.
type ReviewCommentParams struct {
	Path  string
	Start int    // the first line of the comment; 0 for a comment on one line
	Line  int    // number of the comment's last line
	Side  string // side of the diff: LEFT or RIGHT
	Body  string
}

// CreateReview creates a review with its comments. If a comment is outside of the diff, GitHub
// refuses the whole review, and the error's class is InvalidRequest.
func (c *Client) CreateReview(ctx context.Context, repo string, number int, review ReviewParams) (Review, error) {
	request := &github.PullRequestReviewRequest{CommitID: &review.Head, Body: &review.Body, Event: github.String("COMMENT")}
	for _, n := range review.Comments {
		d := &github.DraftReviewComment{Path: &n.Path, Body: &n.Body, Side: &n.Side, Line: &n.Line}
		if n.Start > 0 && n.Start != n.Line {
			d.StartLine, d.StartSide = &n.Start, &n.Side
		}
		request.Comments = append(request.Comments, d)
	}
	k := &call{action: fmt.Sprintf("review %s#%d", repo, number), repo: repo}
	r, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.PullRequestReview, *github.Response, error) {
		return c.gh.PullRequests.CreateReview(ctx, owner, name, number, request)
	})
	return reviewOf(r), err
}

// UpdateReview replaces a review's text. GitHub sends no mail about it.
func (c *Client) UpdateReview(ctx context.Context, repo string, number int, id int64, body string) error {
	k := &call{action: fmt.Sprintf("edit the review of %s#%d", repo, number), repo: repo}
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.PullRequestReview, *github.Response, error) {
		return c.gh.PullRequests.UpdateReview(ctx, owner, name, number, id, body)
	})
	return err
}

// Reviews returns a pull request's reviews, oldest first.
func (c *Client) Reviews(ctx context.Context, repo string, number int) (Page[Review], error) {
	k := &call{action: fmt.Sprintf("list the reviews of %s#%d", repo, number), repo: repo}
	return listing(ctx, c, k, 5*pageSize, reviewOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
			return c.gh.PullRequests.ListReviews(ctx, owner, name, number, &page)
		})
}

func reviewOf(r *github.PullRequestReview) Review {
	return Review{ID: r.GetID(), Author: r.GetUser().GetLogin(), Bot: r.GetUser().GetType() == "Bot", Body: r.GetBody(), State: r.GetState(),
		Head: r.GetCommitID(), URL: r.GetHTMLURL(), At: r.GetSubmittedAt().Time}
}

// ReviewThread is a discussion about lines of a diff.
type ReviewThread struct {
	ID         string
	Path       string
	Line       int    // last line of the thread in the head; 0 if the thread is outdated
	Start      int    // first line of the thread; 0 if the thread has one line
	Side       string // side of the diff: LEFT or RIGHT
	Resolved   bool
	ResolvedBy string
	Outdated   bool
	Comments   []ThreadComment // comments, oldest first, at most maxReplies
}

// ThreadComment is a comment in a ReviewThread.
type ThreadComment struct {
	ID         int64
	Review     int64
	Author     string
	Body       string
	At         time.Time
	ThumbsDown []Reaction
}

// Reaction is a user's reaction to a comment.
type Reaction struct {
	Login string
	At    time.Time
}

const (
	maxThreads = 300
	threadText = `query($owner:String!,$name:String!,$number:Int!,$after:String){repository(owner:$owner,name:$name){` +
		`pullRequest(number:$number){reviewThreads(first:50,after:$after){pageInfo{hasNextPage endCursor} nodes{id path line startLine ` +
		`diffSide isResolved isOutdated resolvedBy{login} comments(first:20){nodes{databaseId body createdAt author{login __typename} ` +
		`pullRequestReview{databaseId} reactions(first:10,content:THUMBS_DOWN){nodes{createdAt user{login}}}}}}}}}}`
)

// threadNode is a thread in GraphQL's JSON.
type threadNode struct {
	ID, Path, DiffSide     string
	Line, StartLine        *int
	IsResolved, IsOutdated bool
	ResolvedBy             *actor
	Comments               struct {
		Nodes []struct {
			DatabaseID        int64
			Body              string
			CreatedAt         time.Time
			Author            *actor
			PullRequestReview *struct{ DatabaseID int64 }
			Reactions         struct {
				Nodes []struct {
					CreatedAt time.Time
					User      *actor
				}
			}
		}
	}
}

type actor struct {
	Login    string
	Typename string `json:"__typename"`
}

// login returns a user's login as REST writes it: a bot's login ends in [bot]. "" means a deleted
// user.
func (a *actor) login() string {
	switch {
	case a == nil:
		return ""
	case a.Typename == "Bot":
		return a.Login + "[bot]"
	}
	return a.Login
}

// ReviewThreads returns the threads of a pull request. ok is false if the server has no GraphQL.
func (c *Client) ReviewThreads(ctx context.Context, repo string, number int) (threads []ReviewThread, ok bool,
	err error) {
	k := &call{action: fmt.Sprintf("read the threads of %s#%d", repo, number), repo: repo, isRead: true}
	var after *string
	for len(threads) < maxThreads {
		var answer struct {
			Repository struct {
				PullRequest struct {
					ReviewThreads struct {
						PageInfo struct {
							HasNextPage bool
							EndCursor   string
						}
						Nodes []threadNode
					}
				}
			}
		}
		err := c.query(ctx, k, threadText, map[string]any{"number": number, "after": after}, &answer)
		if noGraphQL(err) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		part := answer.Repository.PullRequest.ReviewThreads
		threads = append(threads, convertAll(part.Nodes, threadOf)...)
		if !part.PageInfo.HasNextPage {
			break
		}
		after = &part.PageInfo.EndCursor
	}
	return threads, true, nil
}

func threadOf(n threadNode) ReviewThread {
	t := ReviewThread{ID: n.ID, Path: n.Path, Side: strings.ToUpper(n.DiffSide), Resolved: n.IsResolved,
		ResolvedBy: n.ResolvedBy.login(),
		Outdated:   n.IsOutdated, Line: valueOf(n.Line), Start: valueOf(n.StartLine)}
	for _, said := range n.Comments.Nodes {
		made := ThreadComment{ID: said.DatabaseID, Author: said.Author.login(), Body: said.Body, At: said.CreatedAt}
		if said.PullRequestReview != nil {
			made.Review = said.PullRequestReview.DatabaseID
		}
		for _, r := range said.Reactions.Nodes {
			made.ThumbsDown = append(made.ThumbsDown, Reaction{r.User.login(), r.CreatedAt})
		}
		t.Comments = append(t.Comments, made)
	}
	return t
}

func valueOf(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
