package release

import (
	"os"
	"regexp"
)

// UpdaterLink is the link to the version whose mews-update installs updates. Its keys verify them.
// It is behind the instances' links until an update has succeeded for all of them.
const UpdaterLink = "/opt/mews/updater"

// instanceLink matches the link of an instance, but nothing that a killed run has left.
var instanceLink = regexp.MustCompile(`^current(-[a-z0-9-]+)?$`)

// ListInstances lists the instances by their links in a folder such as /opt/mews. An instance is "",
// or "-NAME" for a further one.
func ListInstances(folder string) (list []string, err error) {
	entries, err := os.ReadDir(folder) // sorted, so that "" comes first
	for _, e := range entries {
		if found := instanceLink.FindStringSubmatch(e.Name()); found != nil {
			list = append(list, found[1])
		}
	}
	return list, err
}
