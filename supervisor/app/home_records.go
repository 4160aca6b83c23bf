package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

const (
	// homeRecordInterval is the time between two records of the users' homes.
	homeRecordInterval = time.Minute
	// homeQueryTimeout is the time limit for reading the record of a home.
	homeQueryTimeout = 5 * time.Second
)

// hadHome reports whether a user ever had a home in the state folder.
func (s *service) hadHome(user string) (bool, error) {
	if s.newHomes {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), homeQueryTimeout)
	defer cancel()
	_, had, err := s.db.Settings().Find(ctx, user, sqlite.SettingHomeCreated)
	return had, err
}

// refuseLostHomes refuses to start if the folder of homes is missing, and somebody had a home
// there.
func (s *service) refuseLostHomes(ctx context.Context) error {
	homes := filepath.Join(s.config.State, "homes")
	if _, err := os.Lstat(homes); s.idle || s.newHomes || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	had, err := s.db.Settings().ListUsers(ctx, sqlite.SettingHomeCreated)
	if err == nil && len(had) > 0 {
		err = &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(textHomesLost, homes,
			strings.Join(had, ", "))}
	}
	return err
}

// recordHomes stores which users have a home in the state folder, until ctx ends. A later start
// then notices if a home is lost.
func (s *service) recordHomes(ctx context.Context) error {
	tick := time.NewTicker(homeRecordInterval)
	defer tick.Stop()
	for {
		for _, name := range s.people.Names() {
			if err := s.recordHome(ctx, name); err != nil && ctx.Err() == nil {
				s.log.Warn("record that a home exists", "user", name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (s *service) recordHome(ctx context.Context, user string) error {
	u, known := s.people.Find(user)
	if !known || filepath.Dir(u.Home) != filepath.Join(s.config.State, "homes") {
		return nil
	}
	if _, err := os.Lstat(u.Home); err != nil {
		return nil // the home is not made yet, or it is lost
	}
	_, recorded, err := s.db.Settings().Find(ctx, user, sqlite.SettingHomeCreated)
	if err != nil || recorded {
		return err
	}
	return s.db.Settings().Put(ctx, user, sqlite.SettingHomeCreated, "yes")
}
