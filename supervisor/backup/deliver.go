package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"mews/supervisor"
)

// Deliver puts a finished backup and the journal into another folder, and returns its path. With a
// recipient it is one file that is sealed for it. If plain is true, or without a recipient on the same
// disk, it is a folder of the same name. Without recipient and plain, another disk is refused.
func Deliver(ctx context.Context, from, into, recipient string, plain bool) (path string, err error) {
	if plain || recipient == "" && OnOneDisk(from, into) {
		path = filepath.Join(into, filepath.Base(from))
		if err := copyFolder(from, into); err != nil {
			return "", err
		}
		return path, nil
	}
	if recipient == "" {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textNeedsRecipient, into)
	}
	path = filepath.Join(into, filepath.Base(from)+sealedSuffix)
	if exists(path) {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textFileExists, path)
	}
	part := filepath.Join(into, unfinishedPrefix+filepath.Base(path))
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	// The file is sealed, so the folder's group may read it, for example to send it elsewhere.
	w, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if err != nil {
		return "", err
	}
	err = w.Chmod(0o640) // whatever the umask is
	if err = errors.Join(err, Write(ctx, w, from, recipient, false), w.Sync(), w.Close()); err == nil {
		err = errors.Join(os.Rename(part, path), syncFolder(into))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(part))
	}
	return path, nil
}

const sealedSuffix = ".tar.zst.age"

// Write writes a finished backup and the journal as one file, sealed for recipient. If plain is true, it
// is not sealed. Without recipient and plain, it is refused.
func Write(ctx context.Context, to io.Writer, from, recipient string, plain bool) error {
	m, err := ReadManifest(from)
	if err != nil {
		return err
	}
	var ends []io.Closer
	if !plain {
		if recipient == "" {
			return supervisor.Errorf(supervisor.CodeInvalid, textNeedsRecipient, "the output")
		}
		known, err := age.ParseRecipients(strings.NewReader(recipient))
		if err != nil {
			return fmt.Errorf("the recipient of backups: %w", err)
		}
		sealed, err := age.Encrypt(to, known...)
		if err != nil {
			return err
		}
		to, ends = sealed, append(ends, sealed)
	}
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	ends = append([]io.Closer{t, z}, ends...)
	if err == nil {
		err = writeMember(ctx, t, from, ManifestName)
	}
	if err == nil {
		err = writeJournal(t, from)
	}
	for _, name := range fileNamesOf(m) {
		if err == nil {
			err = writeMember(ctx, t, from, name)
		}
	}
	for _, end := range ends {
		err = errors.Join(err, end.Close())
	}
	return err
}

// writeJournal writes the journal beside a backup, as it is now.
func writeJournal(t *tar.Writer, from string) error {
	text, err := journalOf(from)
	if err != nil || text == nil {
		return err
	}
	err = t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: JournalName, Mode: 0o600, Size: int64(len(text))})
	if err != nil {
		return err
	}
	_, err = t.Write(text)
	return err
}

func writeMember(ctx context.Context, t *tar.Writer, from, name string) error {
	f, err := os.Open(filepath.Join(from, name))
	if err != nil {
		return err
	}
	defer f.Close() // it was only read, so an error of Close loses nothing
	info, err := f.Stat()
	if err == nil {
		err = t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: info.Size(),
			ModTime: info.ModTime()})
	}
	if err == nil {
		_, err = io.Copy(t, contextReader{ctx, f})
	}
	return err
}

// Extract reads a backup of one file into a new folder. identities open a sealed file; none means that
// it is not sealed. It writes nothing but the files that the manifest names, and the journal. The caller
// then calls Verify, and deletes the folder after an error.
func Extract(ctx context.Context, r io.Reader, dir string, identities ...age.Identity) error {
	var err error
	if len(identities) > 0 {
		if r, err = age.Decrypt(r, identities...); err != nil {
			return fmt.Errorf("open the sealed backup: %w", err)
		}
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	t, sizes := tar.NewReader(contextReader{ctx, z}), map[string]int64{ManifestName: maxManifest}
	journal := int64(MaxJournal) // it is there once at most
	for first := true; ; first = false {
		h, err := t.Next()
		if errors.Is(err, io.EOF) && len(sizes) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the backup: %w", err)
		}
		most, known := sizes[h.Name]
		if h.Name == JournalName && !first {
			most, known, journal = journal, true, -1
		}
		if h.Typeflag != tar.TypeReg || !known || h.Size > most {
			return fmt.Errorf("read the backup: its member %q does not belong there", h.Name)
		}
		delete(sizes, h.Name)
		path := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		w, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, t)
		if err = errors.Join(err, w.Sync(), w.Close()); err != nil {
			return err
		}
		if first {
			m, err := ReadManifest(dir)
			if err != nil {
				return err
			}
			for _, f := range m.Files {
				sizes[f.Name] = f.Size
			}
		}
	}
}
