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

// userParts are the users, their settings, and the locations of their workers.
type userParts struct {
	people        *access.People
	configuration *configuration
	settings      *users.Settings
	locations     *placement.WorkerLocations
	admins        *admin.Service
}

// openPeople loads the users, finds the locations of their workers, and gives each user a home.
func (s *service) openPeople(ctx context.Context) (err error) {
	o := PlacementOptions(s.config, s.log)
	o.Kept, o.Idle, o.HadHome, o.OwnSpawner = s.db.HostUIDs(), s.idle, s.hadHome, s.isTrial
	if err := s.refuseLostHomes(ctx); err != nil {
		return err
	}
	if s.locations, err = placement.New(ctx, o); err != nil {
		return err
	}
	if s.people, err = access.NewPeople(nil, uint32(os.Getuid()), accountID); err != nil {
		return err
	}
	s.configuration = &configuration{Loader: users.NewLoader(users.Options{
		People: s.people, Store: s.db.UserAccessStores(), FolderPreparer: s.locations, Log: s.log,
	})}
	s.settings = &users.Settings{
		People: s.people, Store: s.db.Settings(), Usage: s.db.Usage(), Leases: s.db.Leases(), Models: s.modelChoice(),
		Configuration: s.configuration.Configuration, ParseDollars: parseDollars, Now: s.now,
	}
	return s.configuration.Apply(ctx, s.config)
}

// groupTitles returns the store of the titles of group chats.
func (s *service) groupTitles() users.GroupTitles { return users.GroupTitles{Store: s.db.Settings()} }

// modelChoice returns the store of the models that users chose.
func (s *service) modelChoice() users.ModelChoice {
	return users.ModelChoice{People: s.people, Settings: s.db.Settings(), Configuration: s.configuration.Configuration}
}

// accountID returns the id of a Unix account.
func accountID(name string) (uint32, error) {
	found, err := placement.FindAccount(name)
	return found.UID, err
}

// isUser says whether a user of that name exists. The user may be suspended.
func (s *service) isUser(user string) bool {
	_, ok := s.people.Find(user)
	return ok
}

// isActive says whether a user exists and is not suspended.
func (s *service) isActive(user string) bool { return s.isUser(user) && !s.people.IsSuspended(user) }

// serves says whether a conversation is still served. Its user must be active. A group must be
// allowed, and a private chat must still be the user's. For channels without a reader, such as
// jobs, only the user counts: the destination is checked later, when the answer is sent.
func (s *service) serves(c supervisor.Conversation) bool {
	switch {
	case !s.isActive(c.User):
		return false
	case c.Channel.Capabilities().Private,
		c.Channel.Capabilities() == supervisor.Capabilities{}: // channels such as jobs have no reader
		return true
	case c.IsInGroup():
		return s.people.IsGroupAllowed(c.Channel, c.Chat) || s.people.IsGroupAllowed(c.Channel,
			s.renames.CurrentName(c.Chat))
	}
	whose, known := s.people.FindByAccount(c.Channel, c.Chat)
	return known && whose.Name == c.User
}
