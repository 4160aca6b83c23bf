package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// GitHubRepositories stores unsent notices about GitHub repositories, and failed checks.
type GitHubRepositories struct{ db *DB }

// GitHubRepositories returns the store of notices about GitHub repositories.
func (db *DB) GitHubRepositories() GitHubRepositories { return GitHubRepositories{db} }

// RepositoryNotice is a notice to one conversation about a GitHub event. Notices with the same
// Conversation, Repo and Key go into one message when the first notice is due.
type RepositoryNotice struct {
	ID           int64
	Conversation supervisor.Conversation
	Repo         string
	Key          string
	Event        supervisor.GitHubEvent
	Due          time.Time
}

// GitHubCheckOutcome is the result of the GitHub check run that an event reports.
type GitHubCheckOutcome string

const (
	GitHubCheckNone   GitHubCheckOutcome = "" // the event reports no check run
	GitHubCheckFailed GitHubCheckOutcome = "failed"
	GitHubCheckPassed GitHubCheckOutcome = "passed"
)

const (
	insertNotice = `INSERT INTO repository_notice (user, conversation, repo, key, event, due_at) VALUES (?, ?, ?, ?, ?, ?)`
	failCheck    = `INSERT INTO repository_check (repo, ref, name, head, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (repo, ref, name) DO UPDATE SET head = excluded.head, at = excluded.at WHERE head <> excluded.head AND at <= excluded.at`
	passCheck = `DELETE FROM repository_check WHERE repo = ? AND ref = ? AND name = ? AND at <= ?`
	dropRef   = `DELETE FROM repository_check WHERE repo = ? AND ref = ?`
)

// PutEventNotices stores the notices about an event and ends its webhook delivery. It stores no
// notice about a check that failed before at the same commit. It also stores no notice about a
// check that passed without an earlier failure. If the delivery has already ended, nothing changes.
func (s GitHubRepositories) PutEventNotices(
	ctx context.Context,
	delivery int64,
	e supervisor.GitHubEvent,
	check GitHubCheckOutcome,
	notices []RepositoryNotice,
) error {
	return s.db.write(ctx, func(t *tx) {
		if !t.endWebhookDelivery(delivery, supervisor.WebhookDone, "") || !t.isNewCheckResult(e, check) {
			return
		}
		for _, n := range notices {
			c := t.conversation(n.Conversation)
			t.Exec(insertNotice, c.User, c.ID, n.Repo, n.Key, columnEncoder{n.Event}, n.Due)
		}
	}, "store the notices of webhook delivery %d", delivery)
}

// isNewCheckResult reports whether the result of a GitHub check is new.
func (t *tx) isNewCheckResult(e supervisor.GitHubEvent, check GitHubCheckOutcome) bool {
	repo := supervisor.NormalizeRepoName(e.Repo)
	switch {
	case check == GitHubCheckFailed:
		return t.ExecCount(failCheck, repo, e.Ref, e.Title, e.Head, e.At) > 0
	case check == GitHubCheckPassed:
		return t.ExecCount(passCheck, repo, e.Ref, e.Title, e.At) > 0
	case e.Deleted:
		t.Exec(dropRef, repo, e.Ref)
	}
	return true
}

const (
	selectNotice = `SELECT n.id, c.id, c.user, c.channel, c.chat, c.thread, n.repo, n.key, n.event, n.due_at
		FROM repository_notice n JOIN conversation c ON c.id = n.conversation `
	dueNotices = selectNotice + `WHERE (n.conversation, n.repo, n.key) IN
		(SELECT conversation, repo, key FROM repository_notice WHERE due_at <= ?)
		ORDER BY n.conversation, min(n.id) OVER (PARTITION BY n.conversation, n.repo, n.key), n.id`
	nextNotice    = `SELECT due_at FROM repository_notice ORDER BY due_at LIMIT 1`
	deleteNotices = `DELETE FROM repository_notice WHERE id IN (SELECT value FROM json_each(?))`
	insertTold    = `INSERT INTO repository_told (delivery, user, repo, number) VALUES (?, ?, ?, ?)`
)

// ListDueNotices lists the due notices, message by message, oldest first. If one notice of a
// message is due, all notices of that message are listed.
func (s GitHubRepositories) ListDueNotices(ctx context.Context, now time.Time) ([]RepositoryNotice, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list due repository notices"),
		scanNotice,
		dueNotices,
		now.UnixMilli(),
	)
}

// NextDue returns when the next notice about a repository is due. ok is false without a notice.
func (s GitHubRepositories) NextDue(ctx context.Context) (due time.Time, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the next repository notice"), engine.ScanTime, nextNotice)
}

// SendNotices puts one message about several notices into the outbox. The argument number is the
// number of their pull request; 0 means none.
func (s GitHubRepositories) SendNotices(
	ctx context.Context,
	notices []RepositoryNotice,
	number int,
	text string,
) (supervisor.Delivery, error) {
	n := notices[0]
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Delivery {
		ids := noticeIDs(notices)
		if t.ExecCount(deleteNotices, columnEncoder{ids}) < int64(len(ids)) {
			t.fail(invalid("some of that was told"))
		}
		d, _ := t.sayOrHold(supervisor.Delivery{Conversation: n.Conversation, Text: text})
		if number > 0 && d.ID != 0 { // a message that waits for the end of quiet hours gets no further notices
			t.Exec(insertTold, d.ID, n.Conversation.User, n.Repo, number)
		}
		return d
	}, "put a notice for %s about %s", n.Conversation.User, n.Repo)
}

// DropNotices deletes notices without a message.
func (s GitHubRepositories) DropNotices(ctx context.Context, notices []RepositoryNotice) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(deleteNotices, columnEncoder{noticeIDs(notices)}) }, "drop %d notices",
		len(notices))
}

func noticeIDs(notices []RepositoryNotice) []int64 {
	ids := make([]int64, 0, len(notices))
	for _, n := range notices {
		ids = append(ids, n.ID)
	}
	return ids
}

// PullRequestMessage is a message about a pull request in a chat.
type PullRequestMessage struct {
	Conversation supervisor.Conversation
	Message      string // the message's id on the channel
	Text         string
}

const listTold = `SELECT c.id, c.user, c.channel, c.chat, c.thread, p.message, o.text FROM repository_told r JOIN outbox o ON o.id = r.delivery
	JOIN post p ON p.delivery = o.id AND p.state = 'sent' JOIN conversation c ON c.id = o.conversation WHERE r.repo = ?1 AND r.number = ?2
	AND NOT EXISTS (SELECT 1 FROM repository_told l JOIN outbox n ON n.id = l.delivery WHERE l.repo = ?1 AND l.number = ?2
		AND n.conversation = o.conversation AND n.id > o.id) ORDER BY o.id`

// ListPullRequestMessages lists the newest message about a pull request in each chat.
func (s GitHubRepositories) ListPullRequestMessages(ctx context.Context, repo string, number int) ([]PullRequestMessage,
	error) {
	return engine.AllRows(
		s.db.reader(ctx, "list notices about %s#%d", repo, number),
		func(r *engine.Row) (m PullRequestMessage) {
			c := &m.Conversation
			r.Scan(&c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &m.Message, &m.Text)
			return m
		},
		listTold,
		repo,
		number,
	)
}

func scanNotice(row *engine.Row) (n RepositoryNotice) {
	c := &n.Conversation
	row.Scan(&n.ID, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &n.Repo, &n.Key, columnDecoder{&n.Event}, &n.Due)
	return n
}

// PutPolledEvents stores new events that a poll of GitHub found. In the same transaction it stores
// the position of the poll, a setting of the service.
func (s WebhookDeliveries) PutPolledEvents(ctx context.Context, list []supervisor.WebhookDelivery, name,
	value string) error {
	return s.db.write(ctx, func(t *tx) {
		for _, d := range list {
			one(
				t,
				engine.ScanInteger,
				insertWebhookDelivery,
				d.User,
				d.Source,
				d.Hook,
				d.Key,
				d.Body,
				d.Size,
				columnEncoder{d.Event},
				supervisor.WebhookNew,
				"",
				t.Now,
				nil,
			)
		}
		t.setSetting("", name, value)
	}, "store the events found on %s", "GitHub")
}
