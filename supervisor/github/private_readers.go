package github

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor"
	"mews/supervisor/github/notice"
	"mews/supervisor/github/triage"
	"mews/supervisor/sqlite"
)

// SecurityAlertReaders finds the users who get security alerts and security reports. Only users who
// may write in the repository get these notices, and only in their private chats.
type SecurityAlertReaders struct {
	Switches *ServiceSwitches
	// Permission asks GitHub for a login's permission in a repository; nil means that nobody has a
	// permission.
	Permission func(ctx context.Context, repo, login string) (string, error)
}

// mayWrite are GitHub's permissions that allow writes.
var mayWrite = []string{"admin", "maintain", "write"}

// List returns the repository's user, and the readers of its notices who may write. It leaves out
// users who turned the notices off.
func (p *SecurityAlertReaders) List(ctx context.Context, repo supervisor.GitHubRepo) (list []supervisor.User,
	err error) {
	for _, u := range p.Switches.readers(repo) {
		own, err := p.Switches.find(ctx, repo, ServiceNotices, u.Name)
		if err != nil {
			return nil, err
		}
		may, err := p.mayWrite(ctx, repo, u)
		if err != nil {
			return nil, err
		}
		if may && !isOff(own) {
			list = append(list, u)
		}
	}
	return list, nil
}

func (p *SecurityAlertReaders) mayWrite(ctx context.Context, repo supervisor.GitHubRepo, u supervisor.User) (bool,
	error) {
	login := p.Switches.People.LoginOf(u.Name)
	if u.Name == repo.User || login == "" || p.Permission == nil {
		return u.Name == repo.User, nil
	}
	permission, err := p.Permission(ctx, repo.Name, login)
	return slices.Contains(mayWrite, permission), err
}

// settingPrivateIssue begins the names of the service's settings that mark private issues.
const settingPrivateIssue = "github private "

// MarkIssuePrivate makes all later notices about an issue private. Nothing takes the mark off.
func (p *SecurityAlertReaders) MarkIssuePrivate(ctx context.Context, repo string, number int) error {
	marked, err := p.IsIssuePrivate(ctx, repo, number)
	if err != nil || marked {
		return err
	}
	return p.Switches.Store.Put(ctx, everybody, privateIssueSetting(repo, number), ServiceOn)
}

// IsIssuePrivate reports whether MarkIssuePrivate was called for an issue.
func (p *SecurityAlertReaders) IsIssuePrivate(ctx context.Context, repo string, number int) (bool, error) {
	_, marked, err := p.Switches.Store.Find(ctx, everybody, privateIssueSetting(repo, number))
	return marked, err
}

func privateIssueSetting(repo string, number int) string {
	return fmt.Sprintf("%s%s#%d", settingPrivateIssue, supervisor.NormalizeRepoName(repo), number)
}

// isAboutIssue reports whether an event is about an issue, and not about a pull request.
func isAboutIssue(of supervisor.GitHubEvent) bool {
	return of.Event == "issues" || of.Event == "issue_comment" && !of.IsPull
}

// isPrivate reports whether only users who may write get an event's notices: a security alert, or
// an issue that looks or once looked like a security report. It marks such an issue.
func (p *SecurityAlertReaders) isPrivate(ctx context.Context, of supervisor.GitHubEvent) (bool, error) {
	switch {
	case !isAboutIssue(of):
		return notice.IsAlert(of), nil
	case of.Security || triage.IsSecurityReport(of.Title, of.Text):
		return true, p.MarkIssuePrivate(ctx, of.Repo, of.Number)
	}
	return p.IsIssuePrivate(ctx, of.Repo, of.Number)
}

// privateReaders returns the private chats for a private event.
func (e *EventHandler) privateReaders(ctx context.Context, repo supervisor.GitHubRepo,
	_ supervisor.GitHubEvent) (chats []supervisor.Conversation,
	err error) {
	list, err := e.o.Private.List(ctx, repo)
	for _, u := range list {
		chats = append(chats, u.PrivateChat())
	}
	return chats, err
}

// becamePrivate reports whether a stored notice may no longer be sent to its conversation. The
// reason is that the notice's issue has become private since the notice was stored.
func (e *EventHandler) becamePrivate(ctx context.Context, n sqlite.RepositoryNotice) (bool, error) {
	repo, served := e.repo(n.Repo)
	if !served || !isAboutIssue(n.Event) {
		return false, nil
	}
	marked, err := e.o.Private.IsIssuePrivate(ctx, n.Repo, n.Event.Number)
	if err != nil || !marked {
		return false, err
	}
	chats, err := e.privateReaders(ctx, repo, n.Event)
	n.Conversation.ID = 0
	return !slices.Contains(chats, n.Conversation), err
}
