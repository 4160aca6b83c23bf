package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor/api"
)

// examineHistory shows how much room earlier versions of files use, and what is not kept.
func examineHistory(ctx context.Context, o Options) (string, error) {
	limit := int64(o.Config.Worker.History)
	switch {
	case limit == 0:
		return textVersionsOff, nil
	case runtime.GOOS != "linux":
		return textVersionsNoLinux, nil
	case o.Config.Worker.Sandbox == "off":
		return textVersionsNoSandbox, nil
	}
	folder := cmp.Or(o.Config.Worker.HistoryDir, filepath.Join(o.Config.State, "homes"))
	text := fmt.Sprintf(textVersions, amount.BinarySize(limit), folder)
	status, err := serviceStatus(ctx, o.Config)
	if err != nil { // another examination names the error
		return text, nil
	}
	return strings.Join(append([]string{text}, versionLines(status)...), "\n"), nil
}

// versionLines returns a line for each user whose file history is known.
func versionLines(status api.Status) (lines []string) {
	for _, u := range status.Users {
		if u.FileHistory != nil {
			lines = append(lines, u.Name+": "+api.FileHistoryText(*u.FileHistory))
		}
	}
	return lines
}
