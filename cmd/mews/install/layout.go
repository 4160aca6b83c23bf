package install

import (
	"fmt"
	"path"
	"regexp"
)

// Layout is where the parts of an instance are. The zero value is the layout of the only or first
// instance, which has no name.
type Layout struct{ Instance string }

var instanceShape = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}$`)

// NewLayout returns the layout of an instance; "" is the instance without a name.
func NewLayout(instance string) (Layout, error) {
	if instance != "" && !instanceShape.MatchString(instance) || instance == "people" {
		return Layout{}, fmt.Errorf(textBadInstance, instance)
	}
	return Layout{instance}, nil
}

// name returns a name with the instance behind it.
func (l Layout) name(name string) string {
	if l.Instance == "" {
		return name
	}
	return name + "-" + l.Instance
}

// versions is the folder with the programs of each version, for all instances.
const versions = "/opt/mews/versions"

// programs are the programs of a version.
var programs = []string{"mews", "mews-spawner", "mews-update", "mews-worker"}

func (l Layout) current() string { return l.name("/opt/mews/current") }
func (l Layout) etc() string     { return l.name("/etc/mews") }
func (l Layout) state() string   { return l.name("/var/lib/mews") }
func (l Layout) homes() string   { return l.name("/srv/mews") }
func (l Layout) unit() string    { return l.name("mews") }
func (l Layout) account() string { return l.name("mews") }
func (l Layout) people() string  { return l.name("mews-people") }

// Config returns the path of the instance's configuration.
func (l Layout) Config() string { return path.Join(l.etc(), "mews.yaml") }

func (l Layout) policy() string     { return path.Join(l.etc(), "spawner.policy") }
func (l Layout) recordFile() string { return path.Join(l.etc(), "install.json") }
func (l Layout) unitFile() string   { return "/etc/systemd/system/" + l.unit() + ".service" }
func (l Layout) dropIn() string     { return l.unitFile() + ".d/install.conf" }
func (l Layout) noNamespaces() string {
	return l.unitFile() + ".d/no-user-namespaces.conf"
}

// updateUnit is the unit that starts the updater once the instance asks for an update.
func (l Layout) updateUnit() string { return l.name("mews-update") + ".path" }
func (l Layout) updatePath() string { return "/etc/systemd/system/" + l.updateUnit() }

// command is the link through which people call mews. Only the instance without a name has one.
func (l Layout) command() string {
	if l.Instance != "" {
		return ""
	}
	return "/usr/local/bin/mews"
}

// Mews returns how a person calls mews for the instance.
func (l Layout) Mews(words string) string {
	if l.Instance == "" {
		return "mews " + words
	}
	return path.Join(l.current(), "mews") + " " + words + " --config " + l.Config()
}

// In the files of deploy, these stand for the instance's own.
var (
	instancePaths = regexp.MustCompile(`(/opt/mews/current|/etc/mews|/var/lib/mews|/srv/mews|mews-people)\b`)
	instanceNames = regexp.MustCompile(`(?m)^((?:User|Group|StateDirectory|CacheDirectory|RuntimeDirectory)=mews)$`)
)

// adapt turns a file of deploy into the instance's own.
func (l Layout) adapt(text string) string {
	if l.Instance == "" {
		return text
	}
	text = instancePaths.ReplaceAllString(text, "${1}-"+l.Instance)
	return instanceNames.ReplaceAllString(text, "${1}-"+l.Instance)
}
