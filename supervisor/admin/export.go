package admin

import (
	"context"
	"fmt"
	"io"
	"os"

	"mews/supervisor"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// ExportUserRequest are the parameters of user.export.
type ExportUserRequest struct {
	User string `json:"user,omitempty"`
	// add the home's file history; only for the call that begins
	History bool   `json:"history,omitempty"`
	Token   string `json:"token,omitempty"` // "" begins an export; later calls have the token of the first piece
}

// ExportPiece is the next piece of an export.
type ExportPiece struct {
	Token string `json:"token"`
	Bytes []byte `json:"bytes,omitempty"`
	Last  bool   `json:"last,omitempty"`
	Note  string `json:"note,omitempty"` // in the first piece: why the audit log has no entry; "" if it has one
}

// Export begins an export of a user's data, or returns its next piece.
func (o *Service) Export(ctx context.Context, by Caller, q ExportUserRequest) (ExportPiece, error) {
	if q.Token != "" {
		bytes, last, err := o.exports.next(ctx, by, q.Token)
		return ExportPiece{Token: q.Token, Bytes: bytes, Last: last}, err
	}
	u, err := o.userOrFormer(ctx, by, q.User)
	if err != nil {
		return ExportPiece{}, err
	}
	note, err := o.noteExport(ctx, by, u.Name)
	if err != nil {
		return ExportPiece{}, err
	}
	token, err := o.exports.begin(ctx, by, func(ctx context.Context, w io.Writer) error {
		return o.pack(ctx, u, q.History, w)
	})
	return ExportPiece{Token: token, Note: note}, err
}

// noteExport adds an export's entry to the audit log. If the database can't be written, the export
// goes on without an entry, because it may be all that saves the data. Then the text says so.
func (o *Service) noteExport(ctx context.Context, by Caller, user string) (text string, err error) {
	err = o.note(ctx, by, user, "user.exported", "")
	if !sqlite.IsUnwritable(err) {
		return "", err
	}
	o.Logger.Warn("an export has no entry in the audit log", "user", user, "by", by.String(), "error", err)
	return fmt.Sprintf(textExportNotAudited, problem.UserText(err)), nil
}

// userOrFormer returns a user, or a placeholder for a former user with stored data. The placeholder
// has no Home if the folder does not belong to Mews. Only an admin may name a former user.
func (o *Service) userOrFormer(ctx context.Context, by Caller, name string) (supervisor.User, error) {
	u, err := o.userOrCaller(by, name)
	if supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound || !by.Admin ||
		!o.Configuration.Summary().ValidName(name) {
		return u, err
	}
	e, gone := userDataOf(ctx, o.Store.People, o.Configuration.Summary(), name)
	if supervisor.ErrorCodeOf(gone) == supervisor.CodeNotFound {
		return u, err // err, from the search for the user, lists the known users
	}
	return supervisor.User{Name: name, Home: e.Home}, gone
}

// WriteExport writes the whole export of a user's data. note is the one of the first ExportPiece.
func (o *Service) WriteExport(ctx context.Context, q ExportUserRequest, w io.Writer) (note string, err error) {
	by := o.Caller(uint32(os.Getuid()))
	u, err := o.userOrFormer(ctx, by, q.User)
	if err != nil {
		return "", err
	}
	if note, err = o.noteExport(ctx, by, u.Name); err != nil {
		return "", err
	}
	return note, o.pack(ctx, u, q.History, w)
}
