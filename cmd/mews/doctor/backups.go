package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor/app"
	"mews/supervisor/backup"
)

// oldBackup is the age above which the newest backup needs attention.
const oldBackup = 3 * 24 * time.Hour

// examineBackups looks at the backups. It warns if there are none, if they are old, and if all or
// all new ones lie on the disk of the state folder.
func examineBackups(_ context.Context, o Options) (string, error) {
	dir := app.BackupsDir(o.Config)
	s, err := backup.Summarize(dir, o.Config.Backup.To, o.Config.State)
	age, homes := time.Since(s.Newest), ""
	for _, l := range s.LeftOut {
		if strings.HasPrefix(l.What, "home") {
			homes = l.What + ": " + l.Why
		}
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", &warning{fmt.Sprintf(textBackupsUnread, err)}
	case err != nil:
		return "", err
	case s.Backups == 0 && !hasDatabase(o.Config):
		return textNothingToBackUp, nil
	case s.Backups == 0:
		return "", &warning{textNoBackup}
	case s.Checked.Error != "":
		return "", fmt.Errorf(textBackupDamaged, s.Checked.Name, s.Checked.Error)
	case age > oldBackup:
		return "", &warning{fmt.Sprintf(textBackupOld, int(age.Hours()/24))}
	case homes != "":
		return "", &warning{fmt.Sprintf(textBackupLacksHome, homes)}
	case s.Elsewhere.IsZero():
		return "", &warning{fmt.Sprintf(textBackupsOneDisk, dir)}
	case time.Since(s.Elsewhere) > oldBackup:
		return "", &warning{fmt.Sprintf(textOldElsewhere, int(time.Since(s.Elsewhere).Hours()/24))}
	}
	return fmt.Sprintf(textBackups, amount.Plural(s.Backups, "backup", "backups"), s.Newest.Format(time.RFC3339),
		amount.Plural(s.Homes, "home", "homes"), amount.BinarySize(s.Bytes)), nil
}
