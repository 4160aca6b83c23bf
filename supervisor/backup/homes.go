package backup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mews/supervisor"
)

// addHome adds the archive of a home. If again is false, or the home has not changed, this is the
// archive of the former backup. A home that can't be read is named as left out; only an error of the
// backup's own disk ends the backup.
func (b *builder) addHome(h HomeSource, again bool) error {
	if h.Foreign && b.o.Recipient == "" {
		b.leaveOut("home of "+h.User, textForeignHome)
		return nil // keepAbsentHomes keeps an earlier archive
	}
	old, former := Home{}, false
	if b.former != nil {
		old, former = b.former.Manifest.FindHome(h.User)
		former = former && old.Path == h.Path
	}
	if !again {
		if former {
			return b.keepHome(old)
		}
		b.leaveOut("home of "+h.User, textHomeLater)
		return nil
	}
	recipient, digest := "", ""
	if h.Foreign {
		recipient = b.o.Recipient
	}
	if former && old.Sealed == h.Foreign && old.Recipient == recipient {
		if f, there := b.former.Manifest.FindFile(old.File); there && b.isIntact(f) {
			digest = old.Digest
		}
	}
	packed, err := b.o.PackHome(b.ctx, h.User, digest, recipient)
	switch {
	case err != nil && b.ctx.Err() != nil:
		return err
	case err != nil:
		b.o.Log.Warn("a backup lacks a home", "user", h.User, "error", err)
		if b.leaveOut("home of "+h.User, userText(err)); former {
			return b.keepHome(old)
		}
		return nil
	case packed.Unchanged:
		old.ReadAt = b.manifest.MadeAt
		return b.keepHome(old)
	}
	name := homeFileName(h.User, h.Foreign)
	f, err := b.write(name, packed.ReadCloser)
	if err != nil {
		return err
	}
	b.manifest.Files = append(b.manifest.Files, f)
	b.manifest.Homes = append(b.manifest.Homes, Home{User: h.User, File: name, Path: h.Path,
		ReadAt: b.manifest.MadeAt, Digest: packed.Digest, Sealed: h.Foreign, Recipient: recipient, Files: packed.Files,
		Bytes: packed.Bytes, LeftOut: append([]string{}, packed.LeftOut...)})
	return nil
}

// keepAbsentHomes adds the former archives of users whose homes are absent now, for example because a
// disk is not mounted. listed has the users whose homes are there.
func (b *builder) keepAbsentHomes(listed map[string]bool) error {
	if b.former == nil {
		return nil
	}
	for _, old := range b.former.Manifest.Homes {
		if _, there := b.manifest.FindHome(old.User); there || !b.o.Exists(old.User) {
			continue
		}
		if !listed[old.User] {
			b.leaveOut("home of "+old.User, textAbsentHome)
		}
		if err := b.keepHome(old); err != nil {
			return err
		}
	}
	return nil
}

// keepHome adds an archive of the former backup, by a hard link. If the disk has no hard links, it
// copies the archive.
func (b *builder) keepHome(h Home) error {
	f, _ := b.former.Manifest.FindFile(h.File)
	b.o.step()
	if os.Link(b.former.path(h.File), b.path(h.File)) != nil {
		r, err := os.Open(b.former.path(h.File))
		if err != nil {
			return err
		}
		copied, err := b.write(h.File, r)
		if err != nil {
			return err
		}
		if copied.SHA256 != f.SHA256 {
			return fmt.Errorf("%s is damaged", b.former.path(h.File))
		}
	}
	b.manifest.Files, b.manifest.Homes = append(b.manifest.Files, f), append(b.manifest.Homes, h)
	return nil
}

// compareNames orders the files of a backup: small ones first.
func compareNames(x, y string) int {
	rank := func(name string) int {
		switch folder, _, _ := strings.Cut(name, "/"); folder {
		case "config":
			return 0
		case DatabaseName:
			return 1
		case spoolFolder:
			return 2
		}
		return 3
	}
	if d := rank(x) - rank(y); d != 0 {
		return d
	}
	return strings.Compare(x, y)
}

// userText returns what a person reads of an error.
func userText(err error) string {
	if told := new(supervisor.Error); errors.As(err, &told) {
		return told.Message
	}
	return err.Error()
}

// copyFolder copies a finished backup into another folder, by hard links if they are on one disk.
func copyFolder(from, into string) error {
	m, err := ReadManifest(from)
	if err != nil {
		return err
	}
	name := filepath.Base(from)
	to, part := filepath.Join(into, name), filepath.Join(into, unfinishedPrefix+name)
	if exists(to) {
		return fmt.Errorf("%s is there already", to)
	}
	if err := errors.Join(os.RemoveAll(part), os.Mkdir(part, 0o700)); err != nil {
		return err
	}
	for _, name := range append([]string{ManifestName}, fileNamesOf(m)...) {
		if err == nil {
			err = copyFile(filepath.Join(from, name), filepath.Join(part, name))
		}
	}
	if err == nil {
		err = copyJournal(from, part)
	}
	for _, dir := range []string{part, filepath.Join(part, "config"), filepath.Join(part, spoolFolder),
		filepath.Join(part, homesFolder)} {
		if err == nil && exists(dir) {
			err = syncFolder(dir)
		}
	}
	if err == nil {
		err = errors.Join(os.Rename(part, to), syncFolder(into))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return nil
}

func fileNamesOf(m *Manifest) (names []string) {
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	return names
}

// copyFile makes a hard link to a file, or a synced copy.
func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close() // it was only read, so an error of Close loses nothing
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Sync(), w.Close())
}
