package doctor

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"

	"mews/supervisor/unit"
)

// additiveSettings are unit settings whose values add up. systemd-run takes only the last of
// several values.
var additiveSettings = []string{"AmbientCapabilities", "CapabilityBoundingSet"}

// tryUnderUnit makes the attempts in a separate unit with the settings of Mews's unit, as the
// service's spawner would. The doctor uses it when run as root, because root has other rights than
// the service's account.
func tryUnderUnit(ctx context.Context, o Options, s unit.Service) error {
	args := []string{"--pipe", "--wait", "--collect", "--quiet"}
	for _, setting := range s.Settings {
		key, _, _ := strings.Cut(setting, "=")
		if key != "Type" && !slices.Contains(additiveSettings, key) && !strings.HasPrefix(key, "Exec") && !strings.HasPrefix(key, "Restart") {
			args = append(args, "--property="+setting)
		}
	}
	for _, key := range additiveSettings {
		if values := s.SettingValues(key); len(values) > 0 {
			args = append(args, "--property="+key+"="+strings.Join(values, " "))
		}
	}
	command := strings.Replace(lastValue(s.SettingValues("ExecStart")), "/mews run ", "/mews doctor --escapes ", 1)
	cmd := exec.CommandContext(ctx, "systemd-run", append(args, strings.Fields(command)...)...)
	cmd.Stdout, cmd.Stderr = o.Out, os.Stderr
	return cmd.Run()
}
