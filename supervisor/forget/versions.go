package forget

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/markdown"
)

// Versions are the earlier versions of the files in users' homes. Without a file history there are
// none.
type Versions interface {
	CountEarlier(ctx context.Context, user string, of supervisor.ChangedFiles) (protocol.EarlierVersions, error)
	// ForgetEarlier deletes the earlier versions of some files, and returns their number.
	ForgetEarlier(ctx context.Context, user string, of supervisor.ChangedFiles) (int64, error)
}

// historyLeft returns the end of an answer about earlier versions that can't be deleted. "" means
// that there are none.
func (g *Forgetter) historyLeft(user string) string {
	if g.o.HistoryLeft == nil {
		return ""
	}
	return g.o.HistoryLeft(user)
}

// changedFiles lists changed files of the home. A request to forget leaves them alone.
func (g *Forgetter) changedFiles(ctx context.Context, f supervisor.ForgetRequest) (of supervisor.ChangedFiles,
	err error) {
	if g.o.Versions == nil {
		return of, nil
	}
	of, err = g.o.Store.ListChangedFiles(ctx, f)
	of.Paths = slices.DeleteFunc(of.Paths, func(path string) bool {
		return !fs.ValidPath(path) || path == "." || len(path) > protocol.MaxReceivedPathBytes
	})
	return of, err
}

// offerVersions adds to a question the files whose earlier versions a request leaves alone. It also
// adds a button that deletes these versions too.
func (g *Forgetter) offerVersions(ctx context.Context, f supervisor.ForgetRequest, press string,
	d *supervisor.Delivery) error {
	of, err := g.changedFiles(ctx, f)
	if err != nil || of.IsEmpty() {
		return err
	}
	earlier, err := g.o.Versions.CountEarlier(ctx, f.User, of)
	if err != nil || len(earlier.Files) == 0 && earlier.More == 0 {
		return err
	}
	d.Text += textVersionsStay
	for _, file := range earlier.Files {
		d.Text += fmt.Sprintf(textFileVersions, markdown.EscapeName(file.Path),
			amount.Plural(file.Versions, oneVersion, manyVersions))
	}
	if earlier.More > 0 {
		d.Text += fmt.Sprintf(textMoreVersions, amount.Plural(earlier.More, "more file", "more files"))
	}
	d.Buttons = slices.Insert(d.Buttons, 1, []supervisor.Button{{Text: textForgetVersions, Press: press}})
	return nil
}

// forgetVersions deletes the earlier versions of the files that a request leaves alone. Call it
// before the request itself, which deletes the rows that name the files.
func (g *Forgetter) forgetVersions(ctx context.Context, f supervisor.ForgetRequest) (int64, error) {
	of, err := g.changedFiles(ctx, f)
	if err != nil || of.IsEmpty() {
		return 0, err
	}
	return g.o.Versions.ForgetEarlier(ctx, f.User, of)
}

// Words for a number of earlier versions.
const (
	oneVersion   = "earlier version"
	manyVersions = "earlier versions"

	oneForgottenVersion   = "earlier version of a file"
	manyForgottenVersions = "earlier versions of files"
)
