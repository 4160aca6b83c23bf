package github

import (
	"cmp"
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// Switches say what is done about which repository, and for whom: what the configuration has,
// unless an admin has turned it off for everybody or a person for themselves.
type Switches struct {
	Repos  []supervisor.GitHubRepo
	Store  sqlite.Settings
	People People

	Way string // by which it is known what happens, for people; "" where there is no repository
}

// The values of a switch.
const (
	SwitchOn      = "on"
	SwitchOff     = "off"
	SwitchDefault = "default" // as it was before it was set
)

const everyone = "" // whose setting an admin's is

// setting is the name under which a switch is kept.
func setting(repo supervisor.GitHubRepo, what Service) string {
	return "github " + string(what) + " " + repo.Name
}

// find is a switch as it stands for a person. Reviews and triage are those of the person whose the
// repository is.
func (s *Switches) find(ctx context.Context, repo supervisor.GitHubRepo, what Service, user string) (Switch, error) {
	if what != ServiceNotices {
		user = repo.User
	}
	found := Switch{Repo: repo.Name, What: what, On: s.configured(repo, what, user), Source: SourceConfigured}
	for _, layer := range []struct {
		user   string
		source Source
	}{{everyone, SourceAdmin}, {user, SourceOwn}} {
		kept, set, err := s.Store.Find(ctx, layer.user, setting(repo, what))
		if err != nil {
			return found, err
		}
		if set {
			found.On, found.Source = kept == SwitchOn && may(repo, what), layer.source
		}
		if set && layer.user == everyone {
			break // it is off
		}
	}
	return found, nil
}

// configured is a switch as the configuration has it.
func (s *Switches) configured(repo supervisor.GitHubRepo, what Service, user string) bool {
	if what != ServiceNotices {
		return may(repo, what)
	}
	return slices.ContainsFunc(repo.Notify, func(r supervisor.GitHubRecipient) bool { return r.Chat == "" && r.User == user }) ||
		len(repo.Notify) == 0 && isOne(s.People.Admins(), user)
}

// may says whether the configuration lets somebody turn a switch on.
func may(repo supervisor.GitHubRepo, what Service) bool {
	return what == ServiceNotices || what == ServiceReviews && repo.Review || what == ServiceTriage && repo.Triage
}

// isOff says whether an admin has turned something off, or the person has.
func isOff(s Switch) bool { return !s.On && s.Source != SourceConfigured }

// readers are the people who may have a repository's notices: those whom the configuration has
// told, and whose it is; where it names neither people nor chats, the admins.
func (s *Switches) readers(repo supervisor.GitHubRepo) (list []supervisor.User) {
	names := []string{repo.User}
	for _, r := range repo.Notify {
		names = append(names, r.User)
	}
	if len(repo.Notify) == 0 {
		list = s.People.Admins()
	}
	for _, name := range names {
		if u, known := s.People.Find(name); known {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b supervisor.User) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(list, func(a, b supervisor.User) bool { return a.Name == b.Name })
}

// List is what a person is shown of the repositories: their notices, and reviews and triage of what
// is theirs. An admin sees all.
func (s *Switches) List(ctx context.Context, user string) (list []Switch, err error) {
	for _, repo := range s.Repos {
		for _, what := range s.shown(repo, user) {
			found, err := s.find(ctx, repo, what, user)
			if err != nil {
				return nil, err
			}
			list = append(list, found)
		}
	}
	return list, nil
}

// shown is what of a repository a person may see.
func (s *Switches) shown(repo supervisor.GitHubRepo, user string) (list []Service) {
	admin := isOne(s.People.Admins(), user)
	if admin || isOne(s.readers(repo), user) {
		list = append(list, ServiceNotices)
	}
	if admin || repo.User == user {
		list = append(list, ServiceReviews, ServiceTriage)
	}
	return list
}

// Set turns something on or off for a person, or takes that back. all is for everybody: an admin
// may, and then nobody can turn it on. Its errors are for the person.
func (s *Switches) Set(ctx context.Context, user string, to Switch, value string, all bool) error {
	repo, served := findRepo(s.Repos, to.Repo)
	if !served || !slices.Contains(s.shown(repo, user), to.What) {
		return supervisor.Errorf(supervisor.CodeNotFound, textNoRepo, printable.Text(to.Repo))
	}
	now, err := s.find(ctx, repo, to.What, user)
	if err != nil {
		return err
	}
	whose := user
	switch {
	case all:
		whose = everyone
		if value == SwitchOn { // what is not off is as it is configured
			value = SwitchDefault
		}
	case to.What != ServiceNotices && repo.User != user, to.What == ServiceNotices && !isOne(s.readers(repo), user):
		return supervisor.Errorf(supervisor.CodeForbidden, textOthers, to.What, repo.Name)
	case value == SwitchOn && !may(repo, to.What):
		return supervisor.Errorf(supervisor.CodeForbidden, textCeiling, to.What, repo.Name)
	case value == SwitchOn && now.Source == SourceAdmin:
		return supervisor.Errorf(supervisor.CodeForbidden, textAdminOff, to.What, repo.Name)
	}
	if value == SwitchDefault {
		return s.Store.Delete(ctx, whose, setting(repo, to.What))
	}
	return s.Store.Put(ctx, whose, setting(repo, to.What), value)
}

func isOne(of []supervisor.User, name string) bool {
	return slices.ContainsFunc(of, func(u supervisor.User) bool { return u.Name == name })
}
