package admin

import (
	"cmp"
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
	"mews/supervisor/backup"
	"mews/supervisor/operation"
	"mews/supervisor/problem"
)

// DeleteUserRequest are the parameters of user.delete.
type DeleteUserRequest struct {
	User   string `json:"user"`
	DryRun bool   `json:"dry_run,omitempty"` // only list the data, delete nothing
}

// UserData is the stored data of a user, or the data that was deleted.
type UserData struct {
	Rows map[string]int64 `json:"rows"` // the number of rows by table
	Home string           `json:"home,omitempty"`
	// folder of the home's file history; "" means that there is none
	History string `json:"history,omitempty"`
	Files   int64  `json:"files,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`
	// number of copies of the database from before an update
	Copies int `json:"copies,omitempty"`
	// Unread means that Files and Bytes lack files that this process can't read.
	Unread bool `json:"unread,omitempty"`
	// More means that the home is not empty yet, and no row was deleted. Another call continues.
	More bool `json:"more,omitempty"`
}

// DeletePerson deletes all data of a user who was removed. The audit log stays.
//
// The order of the steps lets a later call continue after a crash. First the user's accounts are
// unbound, the user's work ends, and copies of the database are deleted. Then
// workers empty the folder of the file history and the home, and at last the rows are deleted. If a
// folder can't be emptied, the rows stay.
func (o *Service) DeletePerson(ctx context.Context, by Caller, q DeleteUserRequest) (UserData, error) {
	if !o.Configuration.Summary().ValidName(q.User) {
		return UserData{}, supervisor.Errorf(supervisor.CodeInvalid, textInvalidName, q.User)
	}
	if o.configured(q.User) {
		return UserData{}, supervisor.Errorf(supervisor.CodeInvalid, textDeleteConfigured, q.User)
	}
	if _, there := o.People.Find(q.User); there {
		return UserData{}, problem.New(problem.UserNotRemoved, nil, q.User, q.User)
	}
	begun, err := o.Store.People.IsDeletionBegun(ctx, q.User)
	if err != nil {
		return UserData{}, err
	}
	e, err := userDataOf(ctx, o.Store.People, o.Configuration.Summary(), q.User)
	if begun && supervisor.ErrorCodeOf(err) == supervisor.CodeNotFound {
		err = nil // the user has no rows left, but perhaps other data, such as the index
	}
	if err == nil && o.Copies != nil {
		var copies []string
		copies, err = o.Copies.List()
		e.Copies = len(copies)
	}
	if err != nil || q.DryRun {
		return e, err
	}
	if !begun { // from now on, no user of that name can be added
		if err := o.Store.People.BeginDeletion(ctx, q.User, auditEntry(by, q.User, "", "").Detail); err != nil {
			return UserData{}, err
		}
	}
	if err := o.shutOut(ctx, by, q.User); err != nil {
		return UserData{}, err
	}
	if o.Running != nil { // after UserWork.end, no work of the user starts again
		if err := o.Running.Work.end(ctx, q.User); err != nil {
			return UserData{}, supervisor.Errorf(supervisor.CodeUnavailable, textWorkNotEnded, q.User, err)
		}
	}
	if o.Copies != nil {
		if e.Copies, err = o.Copies.Delete(); err != nil {
			return UserData{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotAllDeleted, q.User, err)
		}
	}
	if e.More, err = o.eraseFolders(ctx, q.User, &e); err != nil || e.More {
		return e, err
	}
	return o.eraseRows(ctx, by, q.User, e)
}

// eraseFolders deletes the file history and the home of a removed user. Workers empty them, because
// this process may not read them. The result more means that the workers' time was up.
func (o *Service) eraseFolders(ctx context.Context, user string, e *UserData) (more bool, err error) {
	if e.Home == "" && e.History == "" {
		return false, nil
	}
	erased := o.Erase(ctx, user, EraseTargets{History: e.History != "", Home: e.Home != ""})
	if more = erased.History.More || erased.Home.More; more || ctx.Err() != nil {
		return more, context.Cause(ctx)
	}
	if e.History != "" {
		err = o.removeErased(user, e.History, erased.History, erased.HistoryErr)
		if _, bad := os.Lstat(o.Configuration.Summary().HistoryPath(user)); err == nil && bad == nil {
			more = true // an older folder, which the next call deletes
		}
	}
	if e.Home != "" {
		e.Files = max(e.Files, erased.Home.Files)
		err = cmp.Or(o.removeErased(user, e.Home, erased.Home, erased.HomeErr), err)
	}
	return more, err
}

// removeErased removes a folder that a worker has emptied. The error is for people.
func (o *Service) removeErased(user, folder string, erased operation.EraseReport, workerErr error) error {
	err := removeFolder(folder)
	if err == nil {
		return nil // the folder is gone, so the worker's errors do not matter
	}
	why := strings.TrimSpace(strings.Join(erased.LeftOut, ""))
	if workerErr != nil {
		why = o.workerFault(workerErr)
	}
	return &supervisor.Error{Code: supervisor.CodeUnavailable, Err: errors.Join(workerErr, err),
		Message: fmt.Sprintf(textHomeNotEmptied, user, folder, cmp.Or(why, err.Error()))}
}

// workerFault returns the text for people about a worker that could not read or empty a home.
func (o *Service) workerFault(err error) string {
	if o.Running == nil {
		return problem.UserText(err) + textAsRoot
	}
	return problem.UserText(err)
}

// eraseRows deletes a removed user's rows, and then their part of the index.
func (o *Service) eraseRows(ctx context.Context, by Caller, user string, e UserData) (UserData, error) {
	rows, err := o.Store.People.Erase(ctx, user)
	if err == nil && o.EraseIndex != nil {
		err = o.EraseIndex(ctx, user)
	}
	if err != nil {
		return UserData{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotAllDeleted, user, err)
	}
	e.Rows = rows
	o.acted(backup.ActDeleted, user, "")
	return e, o.note(ctx, by, user, "user.deleted", fmt.Sprintf("with %s", amount.Plural(int(e.Files), "file",
		"files")))
}

// shutOut removes a user, so that no new message of the user is accepted.
func (o *Service) shutOut(ctx context.Context, by Caller, name string) error {
	if _, err := o.Store.People.Remove(ctx, name, auditEntry(by, name, "user.removed", "")); err != nil {
		return err
	}
	o.acted(backup.ActRemoved, name, "")
	return o.Configuration.Refresh(ctx)
}

// removeFolder deletes a folder with all its files. It follows no link.
func removeFolder(folder string) error {
	above, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return err
	}
	if err = above.Remove(filepath.Base(folder)); errors.Is(err, fs.ErrNotExist) {
		err = nil
	} else if err != nil {
		err = above.RemoveAll(filepath.Base(folder))
	}
	return errors.Join(err, above.Close())
}

// Text returns a line for each table, for the folder, and for copies of the database.
func (e UserData) Text() (text string) {
	for _, table := range slices.Sorted(maps.Keys(e.Rows)) {
		text += fmt.Sprintf("  %-14s %s\n", table, amount.Plural(int(e.Rows[table]), "row", "rows"))
	}
	switch size, files := amount.BinarySize(e.Bytes), amount.Plural(int(e.Files), "file", "files"); {
	case e.Unread && e.Files == 0:
		text += fmt.Sprintf(textDeletionClosed, e.Home)
	case e.Unread:
		text += fmt.Sprintf(textDeletionUnread, e.Home, size, files)
	case e.Home != "":
		text += fmt.Sprintf(textDeletionHome, e.Home, size, files)
	}
	if e.History != "" {
		text += fmt.Sprintf(textDeletionHistory, e.History)
	}
	if e.Copies > 0 {
		text += fmt.Sprintf(textDeletionCopies, amount.Plural(e.Copies, "copy", "copies"))
	}
	return text
}
