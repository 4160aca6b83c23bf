package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mews/supervisor/api"
	"mews/supervisor/placement"
	"mews/supervisor/printable"
)

// examineHistories is like examineHistory, and also names file histories that are not used.
func examineHistories(ctx context.Context, o Options) (string, error) {
	text, err := examineHistory(ctx, o)
	var users []string
	status, bad := serviceStatus(ctx, o.Config)
	if bad == nil {
		users = namesOf(status)
	}
	if unused := unusedHistories(o, users); err == nil && len(unused) > 0 {
		text += "\n" + fmt.Sprintf(textVersionsUnused, strings.Join(unused, ", "))
	}
	return text, err
}

// namesOf lists the names of all users; never nil.
func namesOf(status api.Status) []string {
	names := []string{}
	for _, u := range status.Users {
		names = append(names, u.Name)
	}
	return names
}

// unusedHistories lists the folders of file histories that are not used. These are histories
// outside the configured folder, those of no user, and all if no history is kept. If users is nil,
// it is not known who is a user.
func unusedHistories(o Options, users []string) (unused []string) {
	homes := filepath.Join(o.Config.State, "homes")
	configured := cmp.Or(o.Config.Worker.HistoryDir, homes)
	folders := []string{configured}
	if homes != configured {
		folders = append(folders, homes)
	}
	for _, folder := range folders {
		list, _ := filepath.Glob(filepath.Join(folder, "*"+placement.HistorySuffix)) // the pattern is valid
		for _, path := range list {
			name := strings.TrimSuffix(filepath.Base(path), placement.HistorySuffix)
			used := o.Config.Worker.History > 0 && folder == configured &&
				(users == nil || slices.Contains(users, name))
			if !used {
				unused = append(unused, printable.DropControls(path))
			}
		}
	}
	return unused
}
