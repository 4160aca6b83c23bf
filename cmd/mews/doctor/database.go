package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/app"
	"mews/supervisor/control"
)

// examineDatabase reads the database of a stopped service. A running service checks its database
// itself.
func examineDatabase(ctx context.Context, o Options) (string, error) {
	if _, err := serviceStatus(ctx, o.Config); !errors.As(err, new(*control.NotRunningError)) {
		return textDatabaseInUse, nil
	}
	found, used, err := app.ExamineDatabase(ctx, o.Config)
	if _, started := serviceStatus(ctx, o.Config); started == nil {
		return textDatabaseInUse, nil // the service has started meanwhile, and may have changed the database
	}
	var known *supervisor.Error
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", &warning{fmt.Errorf(textDatabaseUnread, err).Error()}
	case errors.As(err, &known):
		return "", errors.New(known.Message)
	case err != nil:
		return "", err
	case !used:
		return textNoDatabase, nil
	}
	finding := fmt.Sprintf(textDatabase, amount.BinarySize(found.Bytes), found.Schema)
	if found.Newest > found.Schema {
		finding += fmt.Sprintf(textDatabaseOlder, found.Newest)
	}
	if found.Copies > 0 {
		finding += fmt.Sprintf(textDatabaseCopies, amount.Plural(found.Copies, "copy", "copies"))
	}
	return finding, nil
}
