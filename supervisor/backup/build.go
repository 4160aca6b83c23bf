package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mews/supervisor/internal/idle"
)

// builder makes the folder of one backup.
type builder struct {
	*Maker
	ctx      context.Context
	dir      string
	former   *Found
	manifest *Manifest
}

func (b *builder) build(homes bool) (changes uint64, err error) {
	for _, dir := range []string{b.dir, b.path("config"), b.path(spoolFolder), b.path(homesFolder)} {
		b.o.step()
		if err := os.Mkdir(dir, 0o700); err != nil {
			return 0, err
		}
	}
	before, err := b.o.Blobs(b.ctx) // a file that is sent during the copying is not in the next list
	if err != nil {
		return 0, err
	}
	if changes, err = b.addDatabase(); err != nil {
		return 0, err
	}
	after, err := b.o.Blobs(b.ctx)
	if err != nil {
		return 0, err
	}
	for sum := range after {
		before[sum] = true
	}
	b.doing(textSavingFiles)
	if err := errors.Join(b.addBlobs(before), b.addFile(ConfigName, b.o.Config, textNoConfig),
		b.addFile(SealKeyName, b.o.SealKey, textNoSealKey)); err != nil {
		return 0, err
	}
	listed := map[string]bool{}
	for _, h := range b.o.Homes() {
		listed[h.User] = true
		b.doing(fmt.Sprintf(textSavingHome, h.User))
		if err := b.addHome(h, homes); err != nil {
			return 0, err
		}
	}
	if err := b.keepAbsentHomes(listed); err != nil {
		return 0, err
	}
	return changes, b.finish()
}

func (b *builder) path(name string) string { return filepath.Join(b.dir, name) }

func (b *builder) leaveOut(what, why string) {
	b.manifest.LeftOut = append(b.manifest.LeftOut, LeftOut{what, why})
}

// addDatabase adds the copy of the database. If it is the former copy, it is a hard link to it.
func (b *builder) addDatabase() (changes uint64, err error) {
	b.doing(textSavingDatabase)
	b.o.step()
	path := b.path(DatabaseName)
	b.manifest.Schema, changes, err = b.o.Database(b.ctx, path, func(done, all int64) {
		b.set(func(s *Status) { s.Done, s.All = done, all })
	})
	if err != nil {
		return 0, err
	}
	f := File{Name: DatabaseName}
	if err := idle.Run(func() (err error) {
		f.Size, f.SHA256, err = sumAndSync(b.ctx, path)
		return err
	}); err != nil {
		return 0, err
	}
	if b.former != nil {
		old, there := b.former.Manifest.FindFile(DatabaseName)
		if there && old == f && b.isIntact(old) {
			b.o.step()
			_ = relink(b.former.path(DatabaseName), path) // after an error the copy stays
		}
	}
	b.manifest.Files = append(b.manifest.Files, f)
	return changes, nil
}

// addBlobs adds files of the spool.
func (b *builder) addBlobs(sums map[string]bool) error {
	names := make([]string, 0, len(sums))
	for sum := range sums {
		names = append(names, sum)
	}
	slices.Sort(names)
	for _, sum := range names {
		name := spoolFolder + "/" + sum
		if b.linkFormer(name) {
			continue
		}
		r, _, err := b.o.OpenBlob(sum)
		if err != nil {
			b.leaveOut(name, err.Error())
			continue
		}
		f, err := b.write(name, r)
		switch {
		case err != nil:
			return err
		case f.SHA256 != sum:
			b.leaveOut(f.Name, textDamagedBlob)
			if err := os.Remove(b.path(f.Name)); err != nil {
				return err
			}
			continue
		}
		b.manifest.Files = append(b.manifest.Files, f)
	}
	return nil
}

// addFile adds a file of the configuration. If it is missing, why says so.
func (b *builder) addFile(name, path, why string) error {
	if path == "" {
		b.leaveOut(name, why)
		return nil
	}
	r, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		b.leaveOut(name, why)
		return nil
	}
	if err != nil {
		return err
	}
	f, err := b.write(name, r)
	if err != nil {
		return err
	}
	f.Secret = true
	b.manifest.Files = append(b.manifest.Files, f)
	return nil
}

// write writes a file of the backup, syncs it, and closes r.
func (b *builder) write(name string, r io.ReadCloser) (f File, err error) {
	b.o.step()
	defer func() { err = errors.Join(err, r.Close()) }()
	w, err := os.OpenFile(b.path(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return f, err
	}
	hash, size := sha256.New(), int64(0)
	err = idle.Run(func() (err error) {
		size, err = io.Copy(io.MultiWriter(w, hash, progress{b}), contextReader{b.ctx, r})
		return errors.Join(err, w.Sync(), w.Close())
	})
	return File{Name: name, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

// progress counts written bytes in the status.
type progress struct{ *builder }

func (p progress) Write(text []byte) (int, error) {
	p.set(func(s *Status) { s.Done += int64(len(text)) })
	return len(text), nil
}

// sumAndSync returns the size and the SHA-256 of a file, and makes its bytes durable.
func sumAndSync(ctx context.Context, path string) (size int64, sum string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, "", err
	}
	hash := sha256.New()
	size, err = io.Copy(hash, contextReader{ctx, f})
	return size, hex.EncodeToString(hash.Sum(nil)), errors.Join(err, f.Sync(), f.Close())
}

// finish writes the manifest and syncs the folders.
func (b *builder) finish() error {
	slices.SortFunc(b.manifest.Files, func(x, y File) int { return compareNames(x.Name, y.Name) })
	text, err := b.manifest.encode()
	if err != nil {
		return err
	}
	if err := writeSynced(b.path(ManifestName), text); err != nil {
		return err
	}
	b.o.step()
	return errors.Join(syncFolder(b.path("config")), syncFolder(b.path(spoolFolder)),
		syncFolder(b.path(homesFolder)), syncFolder(b.dir))
}

// writeSynced writes a new file and waits until it is on the disk.
func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
