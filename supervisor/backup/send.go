package backup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/idle"
)

const (
	// keepSent is the number of backups that stay in Options.To.
	keepSent = 7
	// sendAtLatest is the age of the newest backup there above which any backup is sent. Before, only
	// one with homes is sent, which is made once a day.
	sendAtLatest = 25 * time.Hour

	markerName = "mews-backups.json" // in Options.To: says whose folder it is
	sentName   = "sent.json"         // beside the backups: says where they are sent
)

// marker ties Options.To to a folder of backups. After the first backup was sent, a folder without it
// is one whose disk is not mounted.
type marker struct {
	ID string `json:"id"`
	To string `json:"to,omitempty"` // only beside the backups
}

// readMarker reads a marker; its zero value means none.
func readMarker(path string) (k marker, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	return k, err
}

// replaceFile replaces a file at once.
func replaceFile(path string, text []byte, mode fs.FileMode) error {
	part := filepath.Join(filepath.Dir(path), unfinishedPrefix+filepath.Base(path))
	err := errors.Join(os.RemoveAll(part), writeSynced(part, text))
	if err == nil {
		err = errors.Join(os.Chmod(part, mode), os.Rename(part, path), syncFolder(filepath.Dir(path)))
	}
	return err
}

// claimTarget makes sure that Options.To is there and belongs to these backups alone.
func (m *Maker) claimTarget() error {
	known, err := readMarker(filepath.Join(m.o.Dir, sentName))
	there, bad := readMarker(filepath.Join(m.o.To, markerName))
	if _, missing := os.Stat(m.o.To); missing != nil {
		return supervisor.Errorf(supervisor.CodeUnavailable, textNoTarget, m.o.To)
	}
	switch {
	case errors.Join(err, bad) != nil:
		return errors.Join(err, bad)
	case there.ID != "" && there.ID != known.ID:
		return supervisor.Errorf(supervisor.CodeInvalid, textOthersTarget, m.o.To, markerName)
	case there.ID == "" && known.To == m.o.To:
		return supervisor.Errorf(supervisor.CodeUnavailable, textNotMounted, m.o.To, markerName)
	case known.To == m.o.To:
		return nil
	}
	if known.ID == "" { // kept first: after a kill the marker must be known
		known.ID = rand.Text()
		if err := m.keepMarker(m.o.Dir, sentName, known, 0o600); err != nil {
			return err
		}
	}
	if err := m.keepMarker(m.o.To, markerName, marker{ID: known.ID}, 0o640); err != nil {
		return err
	}
	known.To = m.o.To
	return m.keepMarker(m.o.Dir, sentName, known, 0o600)
}

func (m *Maker) keepMarker(dir, name string, k marker, mode fs.FileMode) error {
	m.o.step()
	text, err := json.Marshal(k)
	if err == nil {
		err = replaceFile(filepath.Join(dir, name), text, mode)
	}
	return err
}

// sentNames matches the names of backups in Options.To.
var sentNames = regexp.MustCompile(`^mews-\d{8}-\d{6}(?:-database)?(?:\.tar\.zst\.age)?$`)

// timeOf returns the time in the name of a backup.
func timeOf(name string) (at time.Time, known bool) {
	if !sentNames.MatchString(name) {
		return at, false
	}
	at, err := time.Parse(nameTime, strings.TrimPrefix(name, namePrefix)[:len(nameTime)])
	return at, err == nil
}

// listSent returns the names of the backups in Options.To, the oldest first.
func (m *Maker) listSent() (names []string, err error) {
	entries, err := os.ReadDir(m.o.To)
	for _, e := range entries { // ReadDir sorts by name, which is by time
		if _, known := timeOf(e.Name()); known {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// send puts a finished backup into Options.To if a person asked for the backup, or once a day. path is
// "" if nothing was due.
func (m *Maker) send(ctx context.Context, r Result, j job) (path string, err error) {
	if m.o.To == "" {
		return "", nil
	}
	if err := m.claimTarget(); err != nil {
		return "", err
	}
	sent, err := m.listSent()
	if err != nil {
		return "", err
	}
	if len(sent) > 0 && !j.asked && !j.homes {
		last, _ := timeOf(sent[len(sent)-1])
		if age := m.o.Now().Sub(last); age >= 0 && age < sendAtLatest {
			return "", nil
		}
	}
	m.doing(textSending)
	if err := m.clearTarget(sent, r.Manifest.Bytes()+spare); err != nil {
		return "", err
	}
	err = idle.Run(func() (err error) {
		path, err = Deliver(ctx, r.Path, m.o.To, m.o.Recipient, m.o.Plain)
		return err
	})
	return path, err
}

// clearTarget deletes old backups in Options.To until one more has room. It never deletes the newest.
func (m *Maker) clearTarget(sent []string, need int64) error {
	entries, err := os.ReadDir(m.o.To)
	for _, e := range entries { // of a process that was killed
		if err == nil && isLeftover(e.Name()) {
			m.o.step()
			err = os.RemoveAll(filepath.Join(m.o.To, e.Name()))
		}
	}
	for err == nil {
		free, _, bad := m.o.Space(m.o.To)
		switch {
		case bad != nil:
			return bad
		case len(sent) < keepSent && free >= need:
			return nil
		case len(sent) <= 1:
			return supervisor.Errorf(supervisor.CodeUnavailable, textNoRoomThere, m.o.To, amount.BinarySize(need),
				amount.BinarySize(max(0, free)))
		}
		err = m.remove(filepath.Join(m.o.To, sent[0]))
		sent = sent[1:]
	}
	return err
}

// oldest returns the time of the oldest data in a backup here or in Options.To. known is false if there is
// none, or if not all are known.
func (m *Maker) oldest() (at time.Time, known bool) {
	add := func(made time.Time) {
		if at.IsZero() || made.Before(at) {
			at = made
		}
	}
	list, err := List(m.o.Dir)
	for _, f := range list {
		if f.Err != nil {
			return at, false
		}
		add(f.Manifest.MadeAt)
		for _, h := range f.Manifest.Homes {
			add(h.ReadAt)
		}
	}
	if m.o.To != "" { // a copy has the acts from before it was sent
		names, bad := m.listSent()
		for _, name := range names {
			made, _ := timeOf(name)
			add(made)
		}
		err = errors.Join(err, bad)
	}
	return at, err == nil && !at.IsZero()
}
