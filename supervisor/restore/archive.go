package restore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"filippo.io/age"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/backup"
)

// archiveFile is an open archive.
type archiveFile struct {
	*os.File
	ref protocol.BlobRef
}

// Ref names the archive.
func (a archiveFile) Ref() protocol.BlobRef { return a.ref }

// openArchive opens the archive of a home. A sealed archive is opened into a file without a name in
// the folder temp.
func openArchive(ctx context.Context, path string, f backup.File, sealed bool, identities []age.Identity,
	temp string) (archiveFile, error) {
	file, err := os.Open(path)
	if err != nil || !sealed {
		return archiveFile{file, protocol.BlobRef{SHA256: f.SHA256, Size: f.Size}}, err
	}
	defer file.Close() // it was only read, so an error of Close loses nothing
	out, err := os.CreateTemp(temp, "archive-*")
	if err != nil {
		return archiveFile{}, err
	}
	if err := os.Remove(out.Name()); err != nil { // a kill then leaves nothing that is readable
		return archiveFile{}, errors.Join(err, out.Close())
	}
	hash := sha256.New()
	r, err := age.Decrypt(file, identities...)
	size := int64(0)
	if err == nil {
		size, err = io.Copy(io.MultiWriter(out, hash), contextReader{ctx, r})
	}
	if err != nil {
		return archiveFile{}, errors.Join(err, out.Close())
	}
	return archiveFile{out, protocol.BlobRef{SHA256: hex.EncodeToString(hash.Sum(nil)), Size: size}}, nil
}

// checkSeal checks that a sealed archive can be opened, and that all of it is sealed by its key.
func checkSeal(ctx context.Context, dir string, h backup.Home, identities []age.Identity) error {
	if !h.Sealed {
		return nil
	}
	if len(identities) == 0 {
		return supervisor.Errorf(supervisor.CodeInvalid, textNeedsIdentity, h.User)
	}
	f, err := os.Open(filepath.Join(dir, h.File))
	if err != nil {
		return err
	}
	defer f.Close() // it was only read, so an error of Close loses nothing
	r, err := age.Decrypt(f, identities...)
	if err == nil {
		_, err = io.Copy(io.Discard, contextReader{ctx, r})
	}
	if wrong := new(age.NoIdentityMatchError); errors.As(err, &wrong) {
		return supervisor.Errorf(supervisor.CodeInvalid, textWrongIdentity, h.User)
	}
	if err != nil {
		return refuse(fmt.Errorf("open the archive of %s: %w", h.User, err))
	}
	return nil
}

// ReadIdentities reads the age identities in a file.
func ReadIdentities(path string) ([]age.Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the identity: %w", err)
	}
	defer f.Close() // it was only read, so an error of Close loses nothing
	list, err := age.ParseIdentities(f)
	if err != nil {
		return nil, fmt.Errorf("read the identity %s: %w", path, err)
	}
	return list, nil
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

// copyChecked copies a file of the backup, and compares its SHA-256 once more. The copy gets its name
// when it is on the disk.
func copyChecked(ctx context.Context, from, to, sum string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read, so an error of Close loses nothing
	out, err := os.OpenFile(to+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), contextReader{ctx, in})
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return refuse(fmt.Errorf("%s was changed meanwhile", from))
	}
	if err := os.Rename(to+".part", to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// syncFolder makes new names in a folder durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
