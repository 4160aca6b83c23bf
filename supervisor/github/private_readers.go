package github

import (
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/github/notice"
	"mews/supervisor/github/triage"
)

// SecurityAlertReaders finds the users who get security alerts and security reports. Only users who may
// write in the repository get these notices, and only in their private chats.
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

// isPrivate reports whether only users who may write get an event's notices: a security alert, or
// an issue that looks like a security report.
func isPrivate(of supervisor.GitHubEvent) bool {
	issue := of.Event == "issues" || of.Event == "issue_comment" && !of.IsPull
	return notice.IsAlert(of) || issue && triage.IsSecurityReport(of.Title, of.Text)
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
