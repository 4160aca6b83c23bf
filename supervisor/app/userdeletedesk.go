package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor"
)

// Deletion are the parameters of user.delete.
type Deletion struct {
	User string `json:"user"`
	Look bool   `json:"look,omitempty"` // only say what would go
}

// Estate is what there is of a person, or what was deleted.
type Estate struct {
	Rows  map[string]int64 `json:"rows"` // by table
	Home  string           `json:"home,omitempty"`
	Files int64            `json:"files,omitempty"`
	Bytes int64            `json:"bytes,omitempty"`
}

// deletePerson deletes all of a person who does not stand in the configuration: what the database has, and the folder below
// the state folder. What runs for them is ended before. The audit log stays.
func (o estates) deletePerson(ctx context.Context, by clerk, q Deletion) (Estate, error) {
	if !config.ValidName(q.User) {
		return Estate{}, Refused(supervisor.CodeInvalid, "Nobody can have the name %q.", q.User)
	}
	if o.configured(q.User) {
		return Estate{}, Refused(supervisor.CodeInvalid, "%s stands in the configuration. Take them out there, then `mews reload`; then they "+
			"can be deleted.", q.User)
	}
	e, err := estateOf(ctx, o.store.People, o.configuration.Current(), q.User)
	if err != nil || q.Look {
		return e, err
	}
	if err := o.shutOut(ctx, by, q.User); err != nil {
		return Estate{}, err
	}
	if o.labour != nil { // ended last: nothing of theirs begins any more
		if err := o.labour.end(ctx, q.User); err != nil {
			return Estate{}, Refused(supervisor.CodeUnavailable, "%s was shut out, and what runs for them could not be ended, so nothing "+
				"else was deleted: %v. Run this again.", q.User, err)
		}
	}
	if err := o.note(ctx, by, q.User, "user.deleting", ""); err != nil { // it is not one transaction
		return Estate{}, err
	}
	rows, err := o.store.People.Erase(ctx, q.User)
	if err != nil {
		return Estate{}, Refused(supervisor.CodeUnavailable, "%s was shut out, and not all of theirs could be deleted: %v. Run this again.", q.User, err)
	}
	if e.Home != "" {
		err = removeHome(e.Home)
	}
	e.Rows = rows
	return e, errors.Join(err, o.note(ctx, by, q.User, "user.deleted", fmt.Sprintf("with %s", amount.Of(int(e.Files), "file", "files"))))
}

// shutOut has somebody be no user any more, so that nothing new of theirs is taken.
func (o estates) shutOut(ctx context.Context, by clerk, name string) error {
	if _, err := o.store.People.Remove(ctx, name, entry(by, name, "user.removed", "")); err != nil {
		return err
	}
	return o.configuration.Refresh(ctx)
}

// removeHome deletes a folder with all that is in it, and nothing that a link in it leads to.
func removeHome(home string) error {
	above, err := os.OpenRoot(filepath.Dir(home))
	if err == nil {
		err = errors.Join(above.RemoveAll(filepath.Base(home)), above.Close())
	}
	if err != nil {
		return Refused(supervisor.CodeUnavailable, "The rows are deleted, and the folder %s could not be: %v. Delete it by hand.", home, err)
	}
	return nil
}
