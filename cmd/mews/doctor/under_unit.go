package doctor

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"mews/supervisor/unit"
)

// tryUnderUnit has the attempts made as the service's own spawner would have them: in a unit of its own with the settings of the one
// that runs Mews here. It is for root, who is neither the service's account nor has its rights.
func tryUnderUnit(ctx context.Context, o Options, s unit.Service) error {
	args := []string{"--pipe", "--wait", "--collect", "--quiet"}
	for _, setting := range s.Settings {
		key, _, _ := strings.Cut(setting, "=")
		if key != "Type" && !strings.HasPrefix(key, "Exec") && !strings.HasPrefix(key, "Restart") {
			args = append(args, "--property="+setting)
		}
	}
	command := strings.Replace(last(s.Values("ExecStart")), "/mews run ", "/mews doctor --escapes ", 1)
	cmd := exec.CommandContext(ctx, "systemd-run", append(args, strings.Fields(command)...)...)
	cmd.Stdout, cmd.Stderr = o.Out, os.Stderr
	return cmd.Run()
}
