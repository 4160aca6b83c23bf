package unit

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// Instance is an installed service of Mews.
type Instance struct {
	Unit  string // the systemd unit, without .service
	State string // the state folder
}

// instanceName matches the name of a further instance.
var instanceName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// NamedInstance returns the instance of that name; "" is the machine's first one.
func NamedInstance(name string) (Instance, error) {
	if name == "" {
		return Instance{"mews", "/var/lib/mews"}, nil
	}
	if !instanceName.MatchString(name) {
		return Instance{}, fmt.Errorf(textInstance, name)
	}
	return Instance{"mews-" + name, "/var/lib/mews-" + name}, nil
}

// commands are the system's commands for a unit, by the word of `mews service`.
var commands = map[string][]string{
	"start":   {"systemctl", "start"},
	"stop":    {"systemctl", "stop"},
	"restart": {"systemctl", "restart"},
	"reset":   {"systemctl", "restart"},
	"status":  {"systemctl", "status", "--no-pager"},
	"logs":    {"journalctl", "--no-pager", "--lines=200", "--unit"},
}

// Command returns the system's command for a word of `mews service`, such as restart.
func (i Instance) Command(word string) ([]string, error) {
	command, ok := commands[word]
	if !ok {
		return nil, fmt.Errorf(textServiceWord, word)
	}
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return nil, errors.New(textNoSystemd)
	}
	return append(slices.Clone(command), i.Unit), nil
}
