package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// record is what the installer has written, and with which answers. It is kept beside the
// configuration, for root alone. Each entry is written before the change that it is about.
type record struct {
	Answers Answers `json:"answers"`
	// Written has the digests of all contents that the installer has written, by path. A file with
	// another digest was edited by a person.
	Written  map[string][]string `json:"written"`
	Accounts []string            `json:"accounts,omitempty"` // accounts that the installer has made
	Groups   []string            `json:"groups,omitempty"`   // groups that the installer has made
	Folders  []string            `json:"folders,omitempty"`  // homes that the installer has made
	FirstUID uint32              `json:"first_uid"`          // the first of the uids for people without an account
	Port     int                 `json:"port,omitempty"`     // where the service answers programs on this machine
	// Pairing means that an invite was shown, and that nobody has confirmed who took it.
	Pairing bool `json:"pairing,omitempty"`
	// Imported means that the data of the earlier Mews have come along.
	Imported bool `json:"imported,omitempty"`
	// Restart means that something has changed that the running service does not know.
	Restart bool `json:"restart,omitempty"`
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// readRecord reads the record of an earlier run. found is false if there was none, or if the service
// was removed since.
func readRecord(m machine, l Layout) (r record, found bool, err error) {
	r.Written = map[string][]string{}
	text, err := m.read(l.recordFile())
	if err != nil || text == nil {
		return r, false, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, false, fmt.Errorf(textRecordUnread, l.recordFile(), err)
	}
	if r.Written == nil {
		r.Written = map[string][]string{}
	}
	return r, r.Answers.Model != "", nil
}

// save writes the record. If it is unchanged, save writes nothing.
func (in *Installer) save() error {
	text, err := json.MarshalIndent(in.record, "", "  ")
	if err != nil {
		return err
	}
	before, err := in.machine.read(in.layout.recordFile())
	if err != nil || string(before) == string(text) {
		return err
	}
	return in.machine.write(in.layout.recordFile(), text, 0o600, 0)
}

// wrote notes what the installer is about to write into a file.
func (r *record) wrote(path string, text []byte) {
	if digest := digestOf(text); !slices.Contains(r.Written[path], digest) {
		r.Written[path] = append(r.Written[path], digest)
	}
}

// isOurs reports whether the installer has written a content.
func (r *record) isOurs(path string, text []byte) bool {
	return slices.Contains(r.Written[path], digestOf(text))
}

// note adds a name to a list of the record.
func note(list *[]string, name string) {
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}
