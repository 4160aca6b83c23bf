package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/printable"
)

// Status says how far a backup is.
type Status struct {
	Running bool   `json:"running"`
	Doing   string `json:"doing,omitempty"` // what is being saved
	Done    int64  `json:"done"`            // bytes that are saved of it
	All     int64  `json:"all"`             // all its bytes; 0 means that they are not known
	Last    Result `json:"last"`            // the last backup of this process
	Error   string `json:"error,omitempty"` // why the last backup failed; for people
}

// Result describes a finished backup.
type Result struct {
	Path     string    `json:"path"`
	Manifest *Manifest `json:"manifest,omitempty"`
	Sent     string    `json:"sent,omitempty"` // the file on the other disk
	Note     string    `json:"note,omitempty"` // what could not be done besides
}

// Describe returns a line about a running backup.
func (s Status) Describe() string {
	if s.Doing == "" {
		return textBeginning
	}
	if s.All > 0 {
		return fmt.Sprintf(textPercent, s.Doing, s.Done*100/s.All/10*10)
	}
	return fmt.Sprintf(textDoing, s.Doing)
}

// Describe returns lines about a finished backup: its folder, its size and the omissions.
func (r Result) Describe() string {
	var b strings.Builder
	m := r.Manifest
	fmt.Fprintf(&b, textMade, r.Path, amount.BinarySize(m.Bytes()), amount.Plural(len(m.Homes), "home", "homes"))
	if r.Sent != "" {
		fmt.Fprintf(&b, textSent, r.Sent)
	}
	for _, f := range m.Files {
		if f.Secret {
			fmt.Fprintf(&b, textSecret, f.Name)
		}
	}
	for _, l := range m.LeftOut {
		fmt.Fprintf(&b, textLeftOut, l.What, strings.TrimSpace(l.Why))
	}
	for _, h := range m.Homes {
		for _, line := range h.LeftOut {
			fmt.Fprintf(&b, textLeftOutOfHome, h.User, printable.DropControls(strings.TrimSpace(line)))
		}
	}
	if r.Note != "" {
		fmt.Fprintln(&b, strings.TrimSpace(r.Note))
	}
	return b.String()
}

// DescribeList returns a line for each backup in a folder.
func DescribeList(list []Found, dir string) string {
	if len(list) == 0 {
		return fmt.Sprintf(textNoBackups, dir)
	}
	var b strings.Builder
	for _, f := range list {
		if f.Err != nil {
			fmt.Fprintf(&b, textUnreadable, filepath.Base(f.Path), f.Err)
			continue
		}
		fmt.Fprintf(&b, textListed, filepath.Base(f.Path), amount.BinarySize(f.Manifest.Bytes()),
			amount.Plural(len(f.Manifest.Homes), "home", "homes"))
	}
	if c := readChecked(dir); c.Error != "" {
		fmt.Fprintf(&b, textDamagedCopy, c.Name, c.Error)
	}
	return b.String()
}

// RefuseUnsealed refuses an output that would not be sealed, unless plain is true.
func RefuseUnsealed(output, recipient string, plain bool) error {
	if recipient == "" && !plain {
		return supervisor.Errorf(supervisor.CodeInvalid, textNeedsRecipient, output)
	}
	return nil
}

// WriteFile writes a finished backup to a new file, as Write does.
func WriteFile(ctx context.Context, path, from, recipient string, plain bool) error {
	if exists(path) {
		return supervisor.Errorf(supervisor.CodeInvalid, textFileExists, path)
	}
	part := path + ".partial"
	if err := os.RemoveAll(part); err != nil { // a kill may have left it
		return err
	}
	w, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(Write(ctx, w, from, recipient, plain), w.Sync(), w.Close()); err == nil {
		err = errors.Join(os.Rename(part, path), syncFolder(filepath.Dir(path)))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return nil
}
