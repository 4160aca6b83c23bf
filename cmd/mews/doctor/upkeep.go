package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mews/supervisor/app"
	"mews/supervisor/restore"
)

const (
	// oldFeed is the age of the list of releases that needs attention, if it is read daily.
	oldFeed = 3 * 24 * time.Hour
	// oldDrill is the age of the last drill that needs attention.
	oldDrill = app.DrillInterval + 10*24*time.Hour
)

// examineDrill says whether the last tried backup can be restored.
func examineDrill(_ context.Context, o Options) (string, error) {
	r, tried, err := restore.ReadDrill(o.Config.State)
	age := time.Since(r.At)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", &warning{fmt.Sprintf(textBackupsUnread, err)}
	case err != nil:
		return "", err
	case !tried && !hasDatabase(o.Config):
		return "", nil
	case !tried:
		return textNoDrill, nil
	case r.Failure != "":
		return "", fmt.Errorf(textDrillFails, r.Backup, r.Failure)
	case age > oldDrill:
		return "", &warning{fmt.Sprintf(textDrillOld, int(age.Hours()/24), r.Backup)}
	}
	return fmt.Sprintf(textDrill, r.Backup, r.At.Format(time.DateOnly), r.Homes), nil
}

// examineUpdate says how the last update went, and when the list of releases was read.
func examineUpdate(_ context.Context, o Options) (string, error) {
	return updateFinding(app.LookUpdate(o.Config), o.Config.Update.Feed, o.Config.Update.Daily, time.Now())
}

func updateFinding(u app.UpdateState, feed string, daily bool, now time.Time) (string, error) {
	age := now.Sub(u.FeedAt)
	switch {
	case u.Failure != "":
		return "", &warning{fmt.Sprintf(textUpdateFails, u.Failure)}
	case feed == "":
		return textNoFeed, nil
	case daily && !u.FeedAt.IsZero() && age > oldFeed:
		return "", &warning{fmt.Sprintf(textFeedOld, feed, int(age.Hours()/24))}
	}
	finding := textUpdatesByHand
	if daily {
		finding = textUpdatesDaily
	}
	if u.Result != "" {
		finding += "; " + u.Result
	}
	if u.FeedAt.IsZero() {
		return finding + textFeedNever, nil
	}
	return finding + fmt.Sprintf(textFeedRead, u.FeedAt.Format(time.DateOnly)), nil
}

// examineDrift compares the files of root with what the installer has made.
func examineDrift(ctx context.Context, o Options) (string, error) {
	if o.Drift == nil {
		return "", nil
	}
	names, err := o.Drift(ctx)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return textDriftUnread, nil
	case err != nil:
		return "", err
	case len(names) > 0:
		return "", &warning{fmt.Sprintf(textDrift, strings.Join(names, ", "))}
	}
	return textNoDrift, nil
}
