package forget

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
)

// Versions are the earlier versions of the files in users' homes. Without a file history there are
// none.
type Versions interface {
	CountEarlier(ctx context.Context, user string, paths []string) (int64, error)
	// ForgetEarlier deletes the earlier versions of some files, and returns their number.
	ForgetEarlier(ctx context.Context, user string, paths []string) (int64, error)
}

// historyLeft tells where earlier versions stay that can't be deleted; "" means nowhere.
func (g *Forgetter) historyLeft(user string) string {
	if g.o.HistoryLeft == nil {
		return ""
	}
	return g.o.HistoryLeft(user)
}

// changedFiles lists the changed files of the home, which a request to forget leaves alone.
func (g *Forgetter) changedFiles(ctx context.Context, f supervisor.ForgetRequest) ([]string, error) {
	if g.o.Versions == nil {
		return nil, nil
	}
	paths, err := g.o.Store.ListChangedFiles(ctx, f)
	return slices.DeleteFunc(paths, func(path string) bool {
		return !fs.ValidPath(path) || path == "." || len(path) > protocol.MaxReceivedPathBytes
	}), err
}

// offerVersions adds to a question the number of earlier versions that a request leaves alone. It
// also adds a button that deletes these versions too.
func (g *Forgetter) offerVersions(ctx context.Context, f supervisor.ForgetRequest, press string,
	d *supervisor.Delivery) error {
	paths, err := g.changedFiles(ctx, f)
	if err != nil || len(paths) == 0 {
		return err
	}
	n, err := g.o.Versions.CountEarlier(ctx, f.User, paths)
	if err != nil || n == 0 {
		return err
	}
	d.Text += fmt.Sprintf(textVersionsStay, amount.Plural(n, oneVersion, manyVersions))
	d.Buttons = slices.Insert(d.Buttons, 1, []supervisor.Button{{Text: textForgetVersions, Press: press}})
	return nil
}

// forgetVersions deletes the earlier versions of the files that a request leaves alone. Call it
// before the request itself, which deletes the rows that name the files.
func (g *Forgetter) forgetVersions(ctx context.Context, f supervisor.ForgetRequest) (int64, error) {
	paths, err := g.changedFiles(ctx, f)
	if err != nil || len(paths) == 0 {
		return 0, err
	}
	return g.o.Versions.ForgetEarlier(ctx, f.User, paths)
}

// Words for a number of earlier versions.
const (
	oneVersion   = "earlier version of these files"
	manyVersions = "earlier versions of these files"

	oneForgottenVersion   = "earlier version of a file"
	manyForgottenVersions = "earlier versions of files"
)
