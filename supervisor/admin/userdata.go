package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/placement"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// userDataOf returns the stored data of a current or former user. Without stored data it returns
// CodeNotFound.
func userDataOf(ctx context.Context, people sqlite.Users, facts ConfigurationSummary, name string) (e UserData,
	err error) {
	if e.Rows, err = people.CountUserRows(ctx, name); err != nil {
		return e, err
	}
	history := facts.HistoryPath(name)
	if info, err := os.Lstat(history); err == nil && info.IsDir() && !facts.Overlaps(history) {
		e.History = history
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("find the file history of %s: %w", name, err)
	}
	home := facts.HomePath(name)
	info, err := os.Lstat(home)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (!info.IsDir() || facts.Overlaps(home)):
		if len(e.Rows) == 0 && e.History == "" {
			return e, supervisor.Errorf(supervisor.CodeNotFound, textNothingKept, name)
		}
		return e, nil
	case err != nil:
		return e, fmt.Errorf("read the folder of %s: %w", name, err)
	}
	e.Home = home
	err = filepath.WalkDir(home, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			e.Unread = true
			return nil
		}
		if err != nil {
			return err
		}
		if info, bad := entry.Info(); bad == nil && !info.IsDir() {
			e.Files++
			e.Bytes += info.Size()
		}
		return nil
	})
	return e, err
}

// HomePath returns the folder of a user who was added while Mews ran.
func (f ConfigurationSummary) HomePath(name string) string { return filepath.Join(f.Homes, name) }

// HistoryPath returns the folder of the file history of a user's home. Before a change of the
// configured folder, the history may lie where homes are.
func (f ConfigurationSummary) HistoryPath(name string) string {
	return placement.FindHistory(name, f.Histories, f.Homes)
}

// checkUnclaimed returns an error if a name has stored data but no user. A new user of that name
// would get the old folder and messages. An empty folder does not count. If the deletion of the
// data has begun, the error is DeletionNotEnded.
func checkUnclaimed(ctx context.Context, people sqlite.Users, facts ConfigurationSummary, name string) error {
	if begun, err := people.IsDeletionBegun(ctx, name); err != nil {
		return err
	} else if begun {
		return problem.New(problem.UserDeletionUnfinished, nil, name, name)
	}
	rows, err := people.CountUserRows(ctx, name)
	if err != nil {
		return err
	}
	var kept []string
	for _, folder := range []string{facts.HomePath(name), facts.HistoryPath(name)} {
		if entries, err := os.ReadDir(folder); err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0 {
			kept = append(kept, "the folder "+folder) // an unreadable folder counts as stored data
		}
	}
	if len(rows) > 0 {
		total := int64(0)
		for n := range maps.Values(rows) {
			total += n
		}
		kept = append(kept, fmt.Sprintf("%s in the database (%s)", amount.Plural(int(total), "row", "rows"),
			strings.Join(slices.Sorted(maps.Keys(rows)), ", ")))
	}
	if len(kept) == 0 {
		return nil
	}
	return supervisor.Errorf(supervisor.CodeForbidden, textNameUsedBefore, name, strings.Join(kept, "; "), name, name)
}
