package github

import (
	"cmp"
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// ServiceSwitches decide which services are on for each repository and user. A service must be on
// in the configuration. An admin may turn it off for everybody, and users for themselves.
type ServiceSwitches struct {
	Repos  []supervisor.GitHubRepo
	Store  sqlite.Settings
	People People

	Way string // text for users: how events arrive; "" without repositories
}

// Values of a switch, as users type them.
const (
	ServiceOn      = "on"
	ServiceOff     = "off"
	ServiceDefault = "default" // the value of the configuration
)

const everybody = "" // the user name under which the settings for everybody are stored

// setting returns the name of the setting for a service of a repository.
func setting(repo supervisor.GitHubRepo, what RepoService) string {
	return "github " + string(what) + " " + repo.Name
}

// find returns a user's switch. For reviews and triage, the repository's user decides.
func (s *ServiceSwitches) find(ctx context.Context, repo supervisor.GitHubRepo, what RepoService,
	user string) (ServiceSwitch, error) {
	if what != ServiceNotices {
		user = repo.User
	}
	found := ServiceSwitch{Repo: repo.Name, What: what, On: s.configured(repo, what, user), Source: SetByConfig}
	for _, layer := range []struct {
		user   string
		source SwitchSetter
	}{{everybody, SetByAdmin}, {user, SetByUser}} {
		kept, set, err := s.Store.Find(ctx, layer.user, setting(repo, what))
		if err != nil {
			return found, err
		}
		if set {
			found.On, found.Source = kept == ServiceOn && allowed(repo, what), layer.source
		}
		if set && layer.user == everybody {
			break // the service is off for everybody or for this user
		}
	}
	return found, nil
}

// configured reports whether a service is on for a user in the configuration.
func (s *ServiceSwitches) configured(repo supervisor.GitHubRepo, what RepoService, user string) bool {
	if what != ServiceNotices {
		return allowed(repo, what)
	}
	return slices.ContainsFunc(repo.Notify, func(r supervisor.GitHubRecipient) bool { return r.Chat == "" && r.User == user }) ||
		len(repo.Notify) == 0 && isOne(s.People.Admins(), user)
}

// allowed reports whether a service is on for anybody in the configuration.
func allowed(repo supervisor.GitHubRepo, what RepoService) bool {
	return what == ServiceNotices || what == ServiceReviews && repo.Review || what == ServiceTriage && repo.Triage
}

// isOff reports whether an admin or the user has turned a service off.
func isOff(s ServiceSwitch) bool { return !s.On && s.Source != SetByConfig }

// readers returns the users who may get a repository's notices: the configured readers, and the
// repository's user. If no users and chats are configured, the admins get the notices.
func (s *ServiceSwitches) readers(repo supervisor.GitHubRepo) (list []supervisor.User) {
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

// List returns the switches that a user may see. These are the notices of all repositories, and all
// services of the user's own repositories. An admin sees all.
func (s *ServiceSwitches) List(ctx context.Context, user string) (list []ServiceSwitch, err error) {
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

// shown returns the services of a repository whose switches a user may see.
func (s *ServiceSwitches) shown(repo supervisor.GitHubRepo, user string) (list []RepoService) {
	admin := isOne(s.People.Admins(), user)
	if admin || isOne(s.readers(repo), user) {
		list = append(list, ServiceNotices)
	}
	if admin || repo.User == user {
		list = append(list, ServiceReviews, ServiceTriage)
	}
	return list
}

// Set sets a user's switch to on, off or default. If all is true, it sets the switch for everybody.
// Only an admin may do that, and then users can't turn the service on. Errors are for users.
func (s *ServiceSwitches) Set(ctx context.Context, user string, to ServiceSwitch, value string, all bool) error {
	repo, served := findRepo(s.Repos, to.Repo)
	if !served || !slices.Contains(s.shown(repo, user), to.What) {
		return supervisor.Errorf(supervisor.CodeNotFound, textNoRepo, printable.DropControls(to.Repo))
	}
	now, err := s.find(ctx, repo, to.What, user)
	if err != nil {
		return err
	}
	whose := user
	switch {
	case all:
		whose = everybody
		if value == ServiceOn { // the default stands for on: without a setting, the configuration decides
			value = ServiceDefault
		}
	case to.What != ServiceNotices && repo.User != user, to.What == ServiceNotices && !isOne(s.readers(repo), user):
		return supervisor.Errorf(supervisor.CodeForbidden, textOthers, to.What, repo.Name)
	case value == ServiceOn && !allowed(repo, to.What):
		return supervisor.Errorf(supervisor.CodeForbidden, textCeiling, to.What, repo.Name)
	case value == ServiceOn && now.Source == SetByAdmin:
		return supervisor.Errorf(supervisor.CodeForbidden, textAdminOff, to.What, repo.Name)
	}
	if value == ServiceDefault {
		return s.Store.Delete(ctx, whose, setting(repo, to.What))
	}
	return s.Store.Put(ctx, whose, setting(repo, to.What), value)
}

func isOne(of []supervisor.User, name string) bool {
	return slices.ContainsFunc(of, func(u supervisor.User) bool { return u.Name == name })
}
