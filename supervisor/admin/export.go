package admin

import (
	"context"
	"io"
	"os"

	"mews/supervisor"
)

// ExportRequest are the parameters of user.export.
type ExportRequest struct {
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
}

// Export begins an export of a user's data, or returns its next piece.
func (o *Service) Export(ctx context.Context, by Caller, q ExportRequest) (ExportPiece, error) {
	if q.Token != "" {
		bytes, last, err := o.exports.next(ctx, by, q.Token)
		return ExportPiece{q.Token, bytes, last}, err
	}
	u, err := o.userOrFormer(ctx, by, q.User)
	if err != nil {
		return ExportPiece{}, err
	}
	if err := o.note(ctx, by, u.Name, "user.exported", ""); err != nil {
		return ExportPiece{}, err
	}
	token, err := o.exports.begin(ctx, by, func(ctx context.Context, w io.Writer) error {
		return o.pack(ctx, u, q.History, w)
	})
	return ExportPiece{Token: token}, err
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

func (o *Service) WriteExport(ctx context.Context, q ExportRequest, w io.Writer) error {
	by := o.Caller(uint32(os.Getuid()))
	u, err := o.userOrFormer(ctx, by, q.User)
	if err != nil {
		return err
	}
	if err := o.note(ctx, by, u.Name, "user.exported", ""); err != nil {
		return err
	}
	return o.pack(ctx, u, q.History, w)
}
