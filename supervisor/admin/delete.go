package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"mews/protocol/amount"
	"mews/supervisor"
)

// DeleteRequest are the parameters of user.delete.
type DeleteRequest struct {
	User   string `json:"user"`
	DryRun bool   `json:"look,omitempty"` // only list the data, delete nothing
}

// UserData is the stored data of a user, or the data that was deleted.
type UserData struct {
	Rows  map[string]int64 `json:"rows"` // the number of rows by table
	Home  string           `json:"home,omitempty"`
	Files int64            `json:"files,omitempty"`
	Bytes int64            `json:"bytes,omitempty"`
	// number of copies of the database from before an update
	Copies int `json:"copies,omitempty"`
}

// DeletePerson deletes all data of a user who is not in the configuration. It ends their work
// first. Then it deletes the copies of the database, their rows in it, and their folder below the
// state folder. The audit log stays.
func (o *Service) DeletePerson(ctx context.Context, by Caller, q DeleteRequest) (UserData, error) {
	if !o.Configuration.Summary().ValidName(q.User) {
		return UserData{}, supervisor.Errorf(supervisor.CodeInvalid, textInvalidName, q.User)
	}
	if o.configured(q.User) {
		return UserData{}, supervisor.Errorf(supervisor.CodeInvalid, textDeleteConfigured, q.User)
	}
	e, err := userDataOf(ctx, o.Store.People, o.Configuration.Summary(), q.User)
	if err == nil && o.Copies != nil {
		var copies []string
		copies, err = o.Copies.List()
		e.Copies = len(copies)
	}
	if err != nil || q.DryRun {
		return e, err
	}
	if err := o.shutOut(ctx, by, q.User); err != nil {
		return UserData{}, err
	}
	if o.Running != nil { // after UserWork.end, no work of the user starts again
		if err := o.Running.Work.end(ctx, q.User); err != nil {
			return UserData{}, supervisor.Errorf(supervisor.CodeUnavailable, textWorkNotEnded, q.User, err)
		}
	}
	// the entry comes first, because the deletion is not one transaction
	if err := o.note(ctx, by, q.User, "user.deleting", ""); err != nil {
		return UserData{}, err
	}
	if o.Copies != nil {
		if e.Copies, err = o.Copies.Delete(); err != nil {
			return UserData{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotAllDeleted, q.User, err)
		}
	}
	rows, err := o.Store.People.Erase(ctx, q.User)
	if err != nil {
		return UserData{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotAllDeleted, q.User, err)
	}
	if o.EraseIndex != nil {
		err = o.EraseIndex(ctx, q.User)
	}
	if e.Home != "" {
		err = errors.Join(err, removeHome(e.Home))
	}
	e.Rows = rows
	return e, errors.Join(
		err,
		o.note(ctx, by, q.User, "user.deleted", fmt.Sprintf("with %s", amount.Plural(int(e.Files), "file", "files"))),
	)
}

// shutOut removes a user, so that no new message of the user is accepted.
func (o *Service) shutOut(ctx context.Context, by Caller, name string) error {
	if _, err := o.Store.People.Remove(ctx, name, auditEntry(by, name, "user.removed", "")); err != nil {
		return err
	}
	return o.Configuration.Refresh(ctx)
}

// removeHome deletes a folder with all its files. It follows no link.
func removeHome(home string) error {
	above, err := os.OpenRoot(filepath.Dir(home))
	if err == nil {
		err = errors.Join(above.RemoveAll(filepath.Base(home)), above.Close())
	}
	if err != nil {
		return supervisor.Errorf(supervisor.CodeUnavailable, textHomeNotDeleted, home, err)
	}
	return nil
}

// Text returns a line for each table, for the folder, and for copies of the database.
func (e UserData) Text() (text string) {
	for _, table := range slices.Sorted(maps.Keys(e.Rows)) {
		text += fmt.Sprintf("  %-14s %s\n", table, amount.Plural(int(e.Rows[table]), "row", "rows"))
	}
	if e.Home != "" {
		text += fmt.Sprintf(
			textDeletionHome,
			e.Home,
			amount.BinarySize(e.Bytes),
			amount.Plural(int(e.Files), "file", "files"),
		)
	}
	if e.Copies > 0 {
		text += fmt.Sprintf(textDeletionCopies, amount.Plural(e.Copies, "copy", "copies"))
	}
	return text
}
