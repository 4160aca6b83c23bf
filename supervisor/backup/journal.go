package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mews/protocol"
)

// JournalName is the name of the journal beside the backups, and in a backup that was put elsewhere.
const JournalName = "after.log"

// MaxJournal bounds a journal that is read, in bytes.
const MaxJournal = 64 << 20

// ActKind is what an act has done.
type ActKind string

// The kinds of acts.
const (
	ActDisabled  ActKind = "disabled"  // the person may not speak
	ActEnabled   ActKind = "enabled"   // the person may speak again
	ActRemoved   ActKind = "removed"   // the person is no user any more
	ActDeleted   ActKind = "deleted"   // all data of the person was deleted
	ActForgotten ActKind = "forgotten" // data of the person was forgotten
	// an account, invite, login or second factor of the person ended; What says which
	ActRevoked ActKind = "revoked"
	// a group may speak or not; its What is "chat CHAT of CHANNEL"
	ActAllowed    ActKind = "allowed"
	ActDisallowed ActKind = "disallowed"
)

var actKinds = []ActKind{ActDisabled, ActEnabled, ActRemoved, ActDeleted, ActForgotten, ActRevoked,
	ActAllowed, ActDisallowed}

// Act is a line of the journal.
type Act struct {
	At   time.Time `json:"at"`
	Kind ActKind   `json:"act"`
	User string    `json:"user"` // "" means all persons
	// for ActRevoked, such as "invite" or "totp"; for ActForgotten one of span, fact, file
	What string `json:"what,omitempty"`
	// for ActForgotten: the data has these limits. Zero means none.
	Conversation int64     `json:"conversation,omitempty"`
	Since        time.Time `json:"since,omitzero"`
	Until        time.Time `json:"until,omitzero"`
	// SHA-256 in hexadecimal of the forgotten fact, or of the path of the forgotten file
	Digest string `json:"digest,omitempty"`
}

// validate returns what is wrong with an act.
func (a Act) validate() error {
	switch {
	case a.At.IsZero():
		return errors.New("at: want a time")
	case !slices.Contains(actKinds, a.Kind):
		return fmt.Errorf("act: %q, want one of %q", a.Kind, actKinds)
	case a.Digest != "" && !digests.MatchString(a.Digest):
		return fmt.Errorf("digest: %q is no sha256", a.Digest)
	}
	return nil
}

// Journal appends acts to the journal in a folder. Several goroutines may use it. The zero value and
// nil write nothing.
type Journal struct {
	Dir string // "" means no journal

	mu sync.Mutex // held while an act is appended
}

// Append writes an act and waits until it is on the disk. The act holds even if this fails.
func (j *Journal) Append(a Act) error {
	if j == nil || j.Dir == "" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	a.At, a.Since, a.Until = utc(a.At), utc(a.Since), utc(a.Until)
	if err := a.validate(); err != nil {
		return fmt.Errorf("write to %s: %w", JournalName, err)
	}
	line, err := json.Marshal(a)
	if err == nil {
		err = appendLine(j.Dir, line)
	}
	if err != nil {
		return fmt.Errorf("write to %s: %w", JournalName, err)
	}
	return nil
}

// Begin makes the journal if it is missing. An empty one says that nothing has happened.
func (j *Journal) Begin() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(j.Dir, JournalName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// DropBefore deletes the acts before a time, which no backup needs any more. Lines that hold no act
// stay.
func (j *Journal) DropBefore(at time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	path := filepath.Join(j.Dir, JournalName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		var a Act
		err := protocol.DecodeStrict(bytes.TrimSuffix(line, []byte("\n")), &a)
		if err != nil || a.validate() != nil || !a.At.Before(at) {
			kept = append(kept, line...)
		}
	}
	if err != nil || len(kept) == len(text) {
		return err
	}
	return replaceFile(path, kept, 0o600)
}

// journalOf returns the text of the journal that belongs to a backup; nil means none. The backup itself
// has it if it was put elsewhere.
func journalOf(dir string) (text []byte, err error) {
	for _, path := range []string{filepath.Join(dir, JournalName), filepath.Join(filepath.Dir(dir), JournalName)} {
		if text, err = os.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, nil
}

// copyJournal puts the journal that belongs to a backup into a copy of the backup.
func copyJournal(from, to string) error {
	text, err := journalOf(from)
	if err != nil || text == nil {
		return err
	}
	return writeSynced(filepath.Join(to, JournalName), text)
}

// utc returns a time in UTC. Its zero time stays zero.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// appendLine appends a line to the journal and syncs it. A line that a kill has cut short gets its
// end first.
func appendLine(dir string, line []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, JournalName)
	_, missing := os.Lstat(path)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		_, err = f.ReadAt(last, size-1)
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(append(line, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && missing != nil {
		err = syncFolder(dir)
	}
	return err
}

// ParseJournal returns the acts in the text of a journal, in their order. A line that a kill has cut
// short holds no act; skipped counts these.
func ParseJournal(text []byte) (acts []Act, skipped int, err error) {
	for n := 1; len(text) > 0; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		text = rest
		var a Act
		err := protocol.DecodeStrict(line, &a)
		if err == nil {
			err = a.validate()
		}
		switch {
		case err == nil:
			acts = append(acts, a)
		case whole && json.Valid(line):
			return nil, 0, fmt.Errorf("line %d of %s is damaged: %w", n, JournalName, err)
		case len(bytes.TrimSpace(line)) > 0:
			skipped++
		}
	}
	return acts, skipped, nil
}

// syncFolder makes new names in a folder durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
