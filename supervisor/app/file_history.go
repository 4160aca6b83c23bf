package app

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/filehistory"
)

// historyDir returns the folder of all file histories.
func historyDir(cfg *config.Config) string {
	return cmp.Or(cfg.Worker.HistoryDir, filepath.Join(cfg.State, "homes"))
}

// whyNoFileHistory returns why the home of a user has no file history; "" means that it has one, or
// that the next worker may have one.
func (s *service) whyNoFileHistory(user string) string {
	u, known := s.people.Find(user)
	switch {
	case s.config.Worker.History == 0:
		return textNoHistoryRoom
	case runtime.GOOS != "linux":
		return textNoHistorySystem
	case s.locations.Spawner.Sandbox().Tier == "off":
		return textNoHistorySandbox
	}
	if !known {
		return s.locations.HistoryFault(user)
	}
	return s.locations.RecheckHistoryFault(u, slices.Contains(s.usersWithWorker(), user))
}

// historyLeftText tells where earlier versions of a user's files stay that no worker can forget; ""
// means nowhere.
func (s *service) historyLeftText(user string) string {
	u, _ := s.people.Find(user)
	if path := s.locations.UnreachableHistory(u); path != "" {
		return fmt.Sprintf(textHistoryLeft, path)
	}
	return ""
}

// workspacePaths lists the folders outside of the home that a user's programs may change, as the
// programs see them.
func (s *service) workspacePaths(user string) []string {
	u, _ := s.people.Find(user)
	return s.locations.WorkspacePathsInSandbox(u)
}

// usersWithWorker lists the users whose workers run.
func (s *service) usersWithWorker() (users []string) {
	for _, w := range s.runningWorkers() {
		users = append(users, w.User)
	}
	return users
}

// tellOnceInPrivate sends a user a message to the private chat, unless a message with the same name
// was sent before.
func (s *service) tellOnceInPrivate(ctx context.Context, user, name, text string) {
	u, known := s.people.Find(user)
	if known {
		s.notices().TellOnce(ctx, u.PrivateChat(), name, text)
	}
}

// fileHistorySize returns the last known size of a user's file history; nil means that it is not
// known. Without a file history, it has the reason.
func (s *service) fileHistorySize(ctx context.Context, user string) *supervisor.FileHistorySize {
	if why := cmp.Or(s.whyNoFileHistory(user), s.locations.HistoryFault(user)); why != "" {
		size := supervisor.FileHistorySize{At: s.now()}
		size.Off = why
		return &size
	}
	size, ok, err := filehistory.FindSize(ctx, s.db.Settings(), user)
	if err != nil {
		s.log.Warn("read the size of a file history", "user", user, "error", err)
	}
	if err != nil || !ok {
		return nil
	}
	return &size
}
