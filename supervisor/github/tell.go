package github

import (
	"context"
	"errors"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/notice"
	"mews/supervisor/markdown"
	"mews/supervisor/sqlite"
)

const (
	idle       = time.Hour        // how long Run sleeps if no notice is due
	afterFault = 10 * time.Second // how long Run waits after a message could not be sent
)

// tellDue sends due notices, and returns the time until the next notice is due. If a conversation
// fails, its notices are tried again later. Other conversations are not delayed.
func (e *EventHandler) tellDue(ctx context.Context) (wait time.Duration) {
	wait = idle
	due, err := e.o.Store.ListDueNotices(ctx, e.o.Now())
	for len(due) > 0 && err == nil {
		n := slices.IndexFunc(due, func(n sqlite.RepositoryNotice) bool { return !together(n, due[0]) })
		if n < 0 {
			n = len(due)
		}
		if failed := e.tell(ctx, due[:n]); failed != nil {
			e.o.Log.Error("tell of a repository", "user", due[0].Conversation.User, "error", failed)
			wait = afterFault
		}
		due = due[n:]
	}
	next, ok, nextErr := e.o.Store.NextDue(ctx)
	switch err = errors.Join(err, nextErr); {
	case err != nil && ctx.Err() == nil:
		e.o.Log.Error("find what is to be told of repositories", "error", err)
		return afterFault
	case ok && wait == idle:
		return max(next.Sub(e.o.Now()), 0)
	}
	return wait
}

func together(a, b sqlite.RepositoryNotice) bool {
	return a.Conversation == b.Conversation && a.Repo == b.Repo && a.Key == b.Key
}

// tell sends several notices as one message. It drops them if their issue has become private and
// their conversation may not get them.
func (e *EventHandler) tell(ctx context.Context, notices []sqlite.RepositoryNotice) error {
	if drop, err := e.becamePrivate(ctx, notices[0]); err != nil || drop {
		if err == nil {
			err = e.o.Store.DropNotices(ctx, notices)
		}
		return err
	}
	var all []supervisor.GitHubEvent
	for _, n := range notices {
		all = append(all, n.Event)
	}
	slices.SortStableFunc(all, func(a, b supervisor.GitHubEvent) int { return a.At.Compare(b.At) })
	number := 0
	if all[0].Event == "pull_request" && !notice.IsReviewRequest(all[0]) {
		number = all[0].Number
	}
	said, err := e.o.Store.SendNotices(ctx, notices, number, notice.Text(all))
	if err == nil {
		e.o.Queued(said.Conversation.ID)
	}
	return err
}

// AddLineToNotices adds a line to each chat's last message about a pull request. The line is
// Markdown. It replaces the line that was added before. Messages that were not sent yet are
// skipped.
func (e *EventHandler) AddLineToNotices(ctx context.Context, repo string, number int, line string) error {
	told, err := e.o.Store.ListPullRequestMessages(ctx, supervisor.NormalizeRepoName(repo), number)
	for _, m := range told {
		if !m.Conversation.Channel.Capabilities().Edit {
			continue
		}
		content := markdown.Render(m.Text + "\n\n" + line)
		err = e.o.Cleanings.Put(ctx, supervisor.MessageCleanup{Conversation: m.Conversation, Message: m.Message,
			Kind: supervisor.CleanupEdit, Content: content})
		if err != nil {
			return err
		}
		e.o.Queued(m.Conversation.ID)
	}
	return err
}
