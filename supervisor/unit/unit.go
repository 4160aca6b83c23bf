// Package unit finds the systemd unit that runs Mews, so that texts can name the right command.
package unit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folders are the folders of units; a unit in an earlier folder takes precedence (systemd.unit(5)).
var folders = []string{"etc/systemd/system", "run/systemd/system", "usr/local/lib/systemd/system", "usr/lib/systemd/system"}

// Service is a systemd unit of type service.
type Service struct {
	Name     string   // the unit's name without .service
	Settings []string // KEY=VALUE of the unit's section [Service]; the lines of drop-ins come last
}

// FindService returns the service that runs Mews on a state folder. It finds the unit by the state
// folder, because a unit must name that folder to make it writable.
func FindService(state string) (Service, bool) { return find("/", state) }

// ServiceCommand returns the command that starts, restarts or stops Mews on a state folder. It uses
// systemctl if a unit runs Mews; without such a unit it returns the parameter otherwise.
func ServiceCommand(verb, state, otherwise string) string {
	if s, ok := FindService(state); ok {
		return "systemctl " + verb + " " + s.Name
	}
	return otherwise
}

func find(root, state string) (Service, bool) {
	if _, err := os.Stat(filepath.Join(root, "run/systemd/system")); err != nil {
		return Service{}, false // systemd did not boot this machine (sd_booted(3))
	}
	for _, folder := range folders {
		// Glob never fails for this pattern
		files, _ := filepath.Glob(filepath.Join(root, folder, "*.service"))
		for _, file := range files {
			name := filepath.Base(file)
			s := Service{Name: strings.TrimSuffix(name, ".service"), Settings: settings(file)}
			for _, f := range folders {
				// Glob never fails for this pattern
				drops, _ := filepath.Glob(filepath.Join(root, f, name+".d", "*.conf"))
				for _, drop := range drops {
					s.Settings = append(s.Settings, settings(drop)...)
				}
			}
			if s.runs(state) {
				return s, true
			}
		}
	}
	return Service{}, false
}

// runs reports whether a unit runs Mews on a state folder.
func (s Service) runs(state string) bool {
	return strings.Contains(strings.Join(s.SettingValues("ExecStart"), " ")+" ", "/mews run ") &&
		(slices.Contains(strings.Fields(strings.Join(s.SettingValues("StateDirectory"), " ")), strings.TrimPrefix(state,
			"/var/lib/")) ||
			slices.Contains(strings.Fields(strings.Join(s.SettingValues("ReadWritePaths"), " ")), state))
}

// SettingValues returns the values of a setting's key, in order.
func (s Service) SettingValues(key string) (list []string) {
	for _, line := range s.Settings {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			list = append(list, value)
		}
	}
	return list
}

// settings returns the lines of a file's section [Service]. For an unreadable file it returns no
// lines.
func settings(path string) (list []string) {
	text, _ := os.ReadFile(path) // if units are unreadable, texts name `mews run` instead
	section := ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "["):
			section = line
		case section == "[Service]" && line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ";"):
			list = append(list, line)
		}
	}
	return list
}
