package app

import (
	"context"
	"os"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/admin"
	"mews/supervisor/placement"
	"mews/supervisor/users"
)

// household is who there is, what they have set, and where their workers live.
type userParts struct {
	people        *access.People
	configuration *configuration
	settings      *users.Settings
	places        *placement.Places
	admins        *admin.Service
}

// openPeople finds who there is and where their workers live, and sees that everybody has a home.
func (s *service) openPeople(ctx context.Context) (err error) {
	o := PlacementOptions(s.config, s.log)
	o.Kept = s.db.HostUIDs()
	if s.places, err = placement.New(ctx, o); err != nil {
		return err
	}
	if s.people, err = access.New(nil, uint32(os.Getuid()), accountID); err != nil {
		return err
	}
	s.configuration = &configuration{Loader: users.NewLoader(users.Options{
		People: s.people, Store: s.db.Access(), Placer: s.places, Log: s.log,
	})}
	s.settings = &users.Settings{
		People: s.people, Store: s.db.Settings(), Usage: s.db.Usage(), Leases: s.db.Leases(), Models: s.modelChoice(),
		Configuration: s.configuration.Configuration, ParseDollars: parseDollars, Now: s.now,
	}
	return s.configuration.Use(ctx, s.config)
}

func (s *service) modelChoice() users.ModelChoice {
	return users.ModelChoice{People: s.people, Settings: s.db.Settings(), Configuration: s.configuration.Configuration}
}

func accountID(name string) (uint32, error) {
	found, err := placement.FindAccount(name)
	return found.UID, err
}

// known says whether somebody is a user, who may be suspended.
func (s *service) isUser(user string) bool {
	_, ok := s.people.Find(user)
	return ok
}

// active says whether somebody is a user who may speak.
func (s *service) isActive(user string) bool { return s.isUser(user) && !s.people.Suspended(user) }

// serves says whether a conversation's person is still to be served: somebody taken out of the
// configuration is not, nor a private chat of an id that is another's now. What runs where nobody
// talks, such as a job, answers elsewhere: whether that is served is asked as it is sent.
func (s *service) serves(c supervisor.Conversation) bool {
	switch {
	case !s.isActive(c.User):
		return false
	case c.Channel.Capabilities().Private, c.Channel.Capabilities() == supervisor.Capabilities{}: // in the latter nobody is told anything
		return true
	case c.InGroup():
		return s.people.GroupAllowed(c.Channel, c.Chat) || s.people.GroupAllowed(c.Channel, s.renames.Current(c.Chat))
	}
	whose, known := s.people.ByAccount(c.Channel, c.Chat)
	return known && whose.Name == c.User
}
