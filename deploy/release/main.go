// Command release packs and signs releases. deploy/make-release runs it:
//
//	release keys DIR                                           make two pairs of keys; the public ones are DIR/public
//	release pack DIR TOP SECONDS                               pack the files of DIR, with this time, to standard output
//	release index KEY PUBLIC PREVIOUS NOTES DIR VERSION NEXT   sign an index of the archives in DIR
//
// KEY is a file with a private key, and PUBLIC one with two public keys. PREVIOUS is the index
// before, or "" for the first one; its releases stay listed. NEXT is the file with the next pair of
// public keys, or "".
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/supervisor/release"
)

// keptReleases is the number of versions that an index lists.
const keptReleases = 10

// commands maps a command to its function and its number of arguments.
var commands = map[string]struct {
	run       func(w io.Writer, args []string) error
	arguments int
}{
	"keys": {makeKeys, 1}, "pack": {pack, 3}, "index": {index, 7},
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, args []string) error {
	if len(args) == 0 || len(args) != 1+commands[args[0]].arguments || commands[args[0]].run == nil {
		return errors.New("want keys DIR; pack DIR TOP SECONDS; or index KEY PUBLIC PREVIOUS NOTES DIR VERSION NEXT")
	}
	return commands[args[0]].run(w, args[1:])
}

// makeKeys makes two pairs of keys. It overwrites none.
func makeKeys(w io.Writer, args []string) error {
	if err := os.MkdirAll(args[0], 0o700); err != nil {
		return err
	}
	var keys release.Keys
	for _, name := range []string{"key-1", "key-2"} {
		public, private, err := ed25519.GenerateKey(nil)
		if err != nil {
			return err
		}
		keys = append(keys, public)
		block := pem.EncodeToMemory(&pem.Block{Type: "MEWS RELEASE KEY", Bytes: private.Seed()})
		if err := writeNew(filepath.Join(args[0], name), block, 0o600); err != nil {
			return err
		}
	}
	if err := writeNew(filepath.Join(args[0], "public"), []byte(keys.String()+"\n"), 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "Made %s. Keep key-1 where releases are signed, and key-2 off this machine.\n", args[0])
	return err
}

func writeNew(path string, content []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || len(block.Bytes) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s is no private key of a release: make one by `release keys DIR`", path)
	}
	return ed25519.NewKeyFromSeed(block.Bytes), nil
}

func readPublic(path string) (release.Keys, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return release.ParseKeys(strings.TrimSpace(string(text)))
}

func pack(w io.Writer, args []string) error {
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	return release.Pack(w, args[0], args[1], time.Unix(seconds, 0))
}

// index signs an index of the archives in a folder and of the releases of the previous index. It
// verifies the result like an update.
func index(w io.Writer, args []string) error {
	private, err := readKey(args[0])
	if err != nil {
		return err
	}
	public, err := readPublic(args[1])
	if err != nil {
		return err
	}
	x, err := readPrevious(args[2], public)
	if err != nil {
		return err
	}
	version, err := release.ParseVersion(args[5])
	if err != nil {
		return err
	}
	notes, err := readNotes(args[3])
	if err != nil {
		return err
	}
	x.Number, x.Issued = x.Number+1, time.Now().UTC().Truncate(24*time.Hour)
	x.Releases = slices.DeleteFunc(x.Releases, func(r release.Release) bool { return r.Version == version })
	added, err := listArchives(args[4], version, notes)
	if err != nil {
		return err
	}
	x.Releases = append(added, x.Releases[:min(len(x.Releases), (keptReleases-1)*len(added))]...)
	if args[6] != "" {
		keys, err := readPublic(args[6])
		if err != nil {
			return err
		}
		x.NextKeys = append(x.NextKeys, release.NextKeys(private, keys))
	}
	text := x.Sign(private)
	if _, err := release.ParseIndex(text, public); err != nil {
		return fmt.Errorf("%s signs with none of the keys in %s: %w", args[0], args[1], err)
	}
	_, err = w.Write(text)
	return err
}

func readPrevious(path string, public release.Keys) (x release.Index, err error) {
	if path == "" {
		return x, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return x, err
	}
	return release.ParseIndex(text, public)
}

// readNotes reads the changes for admins. "" means none.
func readNotes(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	return strings.TrimSpace(string(text)), err
}

// listArchives lists the archives mews-VERSION-OS-ARCH.tar.gz in a folder.
func listArchives(dir string, v release.Version, notes string) (list []release.Release, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "mews-"+v.String()+"-*.tar.gz"))
	if err == nil && paths == nil {
		err = fmt.Errorf("%s has no archive of %s", dir, v)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if len(content) > release.MaxArchiveBytes {
			return nil, fmt.Errorf("%s has %d bytes; want %d at most", path, len(content), release.MaxArchiveBytes)
		}
		name := filepath.Base(path)
		platform := strings.TrimSuffix(strings.TrimPrefix(name, "mews-"+v.String()+"-"), ".tar.gz")
		sum := sha256.Sum256(content)
		list = append(list, release.Release{Version: v, Platform: strings.ReplaceAll(platform, "-", "/"),
			Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), File: name, Notes: notes})
	}
	return list, err
}
