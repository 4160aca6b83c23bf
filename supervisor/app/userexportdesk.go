package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/control"
)

// fetch are the parameters of user.export.
type fetch struct {
	User  string `json:"user,omitempty"`
	Token string `json:"token,omitempty"` // "" begins; then as in the piece before
}

// piece is what comes next of an export.
type piece struct {
	Token string `json:"token"`
	Bytes []byte `json:"bytes,omitempty"`
	Last  bool   `json:"last,omitempty"`
}

// export begins an export of a person, or goes on with one.
func (o estates) export(ctx context.Context, by clerk, q fetch) (piece, error) {
	if q.Token != "" {
		bytes, last, err := o.parcels.next(ctx, by, q.Token)
		return piece{q.Token, bytes, last}, err
	}
	u, err := o.anybody(ctx, by, q.User)
	if err != nil {
		return piece{}, err
	}
	if err := o.note(ctx, by, u.Name, "user.exported", ""); err != nil {
		return piece{}, err
	}
	token, err := o.parcels.begin(ctx, by, func(ctx context.Context, w io.Writer) error { return o.pack(ctx, u, w) })
	return piece{Token: token}, err
}

// anybody is a person, or what stands for one who is none any more and of whom something is kept; without a Home where their
// programsIn is none of Mews's. Only an admin may name those.
func (o estates) anybody(ctx context.Context, by clerk, name string) (supervisor.User, error) {
	u, err := o.person(by, name)
	if supervisor.ErrorCode(err) != supervisor.CodeNotFound || !by.admin || !config.ValidName(name) {
		return u, err
	}
	e, gone := estateOf(ctx, o.store.People, o.configuration.Current(), name)
	if supervisor.ErrorCode(gone) == supervisor.CodeNotFound {
		return u, err // who there is says more
	}
	return supervisor.User{Name: name, Home: e.Home}, gone
}

func (o estates) exportHere(ctx context.Context, name string, w io.Writer) error {
	by := o.clerk(uint32(os.Getuid()))
	u, err := o.anybody(ctx, by, name)
	if err != nil {
		return err
	}
	if err := o.note(ctx, by, u.Name, "user.exported", ""); err != nil {
		return err
	}
	return o.pack(ctx, u, w)
}

// ExportTo writes an export of a person, made by the service or, where none runs, by this process.
func ExportTo(ctx context.Context, cfg *config.Config, name string, w io.Writer) error {
	p := piece{}
	for !p.Last {
		token := p.Token
		p = piece{}
		err := control.Ask(ctx, SocketPath(cfg), methodUserExport, fetch{User: name, Token: token}, &p)
		if gone := new(control.NotRunning); errors.As(err, &gone) && token == "" {
			return alone(ctx, cfg, func(ctx context.Context, o *office) error { return estates{o}.exportHere(ctx, name, w) })
		}
		if err != nil {
			return err
		}
		if _, err := w.Write(p.Bytes); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
	}
	return nil
}
