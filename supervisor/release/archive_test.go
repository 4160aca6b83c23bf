package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// makeRelease makes the files of a release. Their modes and times depend on the caller.
func makeRelease(t *testing.T, mode os.FileMode, at time.Time) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range append([]string{"README.md", "deploy/a.conf"}, Programs...) {
		path := filepath.Join(dir, name)
		own := mode
		if !strings.Contains(name, ".") {
			own |= 0o100
		}
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("the file "+name), own),
			os.Chmod(path, own), os.Chtimes(path, at, at))
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pack(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Pack(&b, dir, "mews-v1.0.0", issued); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPack_SameFiles_GiveSameBytes(t *testing.T) {
	one := pack(t, makeRelease(t, 0o600, issued))
	two := pack(t, makeRelease(t, 0o666, issued.AddDate(1, 0, 0)))
	if !bytes.Equal(one, two) {
		t.Error("modes or times of the files change the archive")
	}
}

func TestUnpack_PackedFiles_AreRestored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "v1.0.0")
	if err := Unpack(bytes.NewReader(pack(t, makeRelease(t, 0o600, issued))), dir); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"mews": 0o755, "README.md": 0o644, "deploy/a.conf": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		text, readErr := os.ReadFile(filepath.Join(dir, name))
		if err != nil || readErr != nil || info.Mode().Perm() != mode || string(text) != "the file "+name {
			t.Errorf("%s: %v %q, %v", name, info, text, errors.Join(err, readErr))
		}
	}
}

func TestUnpack_HostileEntries_AreRefused(t *testing.T) {
	file := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755} }
	for name, c := range map[string]struct {
		entries []tar.Header
		want    string
	}{
		"leads out": {[]tar.Header{file("top/../../evil")}, "outside of the folder"},
		"absolute":  {[]tar.Header{file("/etc/evil")}, "outside of the folder"},
		"link": {[]tar.Header{{Typeflag: tar.TypeSymlink, Name: "top/mews", Linkname: "/bin/sh"}},
			"is a link"},
		"hard link":     {[]tar.Header{{Typeflag: tar.TypeLink, Name: "top/mews", Linkname: "/bin/sh"}}, "is a link"},
		"device":        {[]tar.Header{{Typeflag: tar.TypeChar, Name: "top/mews"}}, "is a link, a device"},
		"FIFO":          {[]tar.Header{{Typeflag: tar.TypeFifo, Name: "top/mews"}}, "is a link, a device"},
		"twice":         {[]tar.Header{file("top/mews"), file("top/mews")}, "exists"},
		"file, folder":  {[]tar.Header{file("top/mews"), file("top/mews/a")}, "exists"},
		"no top folder": {[]tar.Header{file("mews")}, "outside of the folder"},
		"no program":    {[]tar.Header{file("top/mews")}, "has no program mews-spawner"},
		"too many":      {make([]tar.Header, maxFiles+1), "too many files"},
	} {
		var b bytes.Buffer
		compressed := gzip.NewWriter(&b)
		archive := tar.NewWriter(compressed)
		for i, h := range c.entries {
			if h.Name == "" {
				h = tar.Header{Typeflag: tar.TypeDir, Name: "top/" + strings.Repeat("d", i%50+1) + "/"}
			}
			if err := archive.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(archive.Close(), compressed.Close()); err != nil {
			t.Fatal(err)
		}
		parent := t.TempDir()
		err := Unpack(&b, filepath.Join(parent, "in"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
			t.Errorf("%s: left %v, %v", name, entries, err)
		}
	}
}

func TestCheckArchive_CutOrSwapped_IsRefused(t *testing.T) {
	good := pack(t, makeRelease(t, 0o600, issued))
	sum := sha256.Sum256(good)
	r := Release{File: "a.tar.gz", Size: int64(len(good)), SHA256: hex.EncodeToString(sum[:])}
	swapped := bytes.Clone(good)
	swapped[len(swapped)/2] ^= 1
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"good":     {good, ""},
		"cut off":  {good[:len(good)-1], "it was cut off or changed"},
		"longer":   {append(bytes.Clone(good), 0), "it was cut off or changed"},
		"swapped":  {swapped, "it was changed"},
		"no bytes": {nil, "it was cut off or changed"},
	} {
		err := r.CheckArchive(bytes.NewReader(c.content))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
