package main_test

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"mews/supervisor/app/apptest"
	"mews/supervisor/backup"
	"mews/supervisor/model/modeltest"
)

// hostileHome is the size of a home that is hard to back up.
type hostileHome struct {
	files  int
	sparse int64         // size of a file of holes, in bytes
	within time.Duration // longest time of a backup
}

func hostileHomeSize() hostileHome {
	if os.Getenv("MEWS_HOSTILE_HOME") == "" {
		return hostileHome{files: 1000, sparse: 64 << 20, within: 3 * time.Minute}
	}
	return hostileHome{files: 100_000, sparse: 3 << 30, within: 20 * time.Minute}
}

// fill makes a home of many files, links that lead out, links in a circle, pipes, a file of holes,
// and files that can't be read.
func (h hostileHome) fill(home string) error {
	var errs []error
	for i := range h.files {
		dir := filepath.Join(home, "many", fmt.Sprint(i/1000))
		if i%1000 == 0 {
			errs = append(errs, os.MkdirAll(dir, 0o700))
		}
		errs = append(errs, os.WriteFile(filepath.Join(dir, fmt.Sprint("file", i)), []byte("small"), 0o600))
	}
	at := func(name string) string { return filepath.Join(home, name) }
	errs = append(errs, os.WriteFile(at("note.md"), []byte("mine"), 0o600),
		os.Link(at("note.md"), at("same.md")), os.Symlink("/etc/passwd", at("out")), os.Symlink("/", at("root")),
		os.Symlink("circle", at("circle")), os.Symlink("gone", at("dangling")),
		syscall.Mkfifo(at("pipe"), 0o600), syscall.Mkfifo(at("many/pipe"), 0o600),
		os.WriteFile(at("a\nname"), nil, 0o600), os.WriteFile(at("closed"), []byte("no"), 0),
		os.WriteFile(at("holes"), nil, 0o600), os.Truncate(at("holes"), h.sparse))
	return errors.Join(errs...)
}

// changeHome changes files of a home, again and again, until stop is closed.
func changeHome(home string, stop <-chan struct{}) {
	busy := filepath.Join(home, "many", "0", "file1")
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		// the files may be gone: another round makes them
		_ = os.WriteFile(busy, []byte(strings.Repeat("x", i%5000)), 0o600)
		_ = os.Rename(busy, busy+".moved")
		_ = os.Remove(filepath.Join(home, "many", "0", fmt.Sprint("file", i%100)))
		_ = os.WriteFile(busy, []byte("new"), 0o600)
	}
}

// TestBackup_HostileHome_IsBoundedAndNamed: a backup of a home that its user has made hard to read
// ends in time, takes little memory, follows no link, and names what it leaves out.
func TestBackup_HostileHome_IsBoundedAndNamed(t *testing.T) {
	size := hostileHomeSize()
	_, url := modeltest.NewServer(t, modeltest.EchoScript)
	h := apptest.NewService(t, url, "ann")
	home := h.UserHome("ann")
	if err := size.fill(home); err != nil {
		t.Fatal(err)
	}
	apptest.ChownToWorkers(t, home)
	h.Start()
	defer h.Stop()
	supervisor := h.ProcessIDs("mews")[0]
	before := procField(fmt.Sprintf("/proc/%d/status", supervisor), "VmHWM:")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { defer close(stopped); changeHome(home, stop) }()
	began := time.Now()
	out, err := exec.CommandContext(t.Context(), filepath.Join(h.Bin, "mews"), "backup", "--config", h.Config).
		CombinedOutput()
	took := time.Since(began)
	close(stop)
	<-stopped
	if err != nil || took > size.within {
		t.Fatalf("after %v: %v\n%s", took, err, out)
	}
	const most = 64 << 10 // KiB
	if grown := procField(fmt.Sprintf("/proc/%d/status", supervisor), "VmHWM:") - before; grown > most {
		t.Errorf("the service's memory grew by %v KiB", grown)
	}
	t.Logf("%d files in %v", size.files, took)
	for _, name := range []string{`"pipe"`, `"many/pipe"`, `"closed"`} {
		if !strings.Contains(string(out), name) {
			t.Errorf("the backup does not name %s:\n%s", name, out)
		}
	}
	checkHostileArchive(t, h, size)
}

// checkHostileArchive checks the archive of ann's home in the newest backup.
func checkHostileArchive(t *testing.T, h *apptest.Service, size hostileHome) {
	t.Helper()
	newest, err := backup.Latest(filepath.Join(h.Dir, "state", "backups"))
	if err != nil || newest == nil || len(newest.Manifest.Homes) != 1 {
		t.Fatalf("%+v, %v", newest, err)
	}
	if _, err := backup.Verify(t.Context(), newest.Path); err != nil {
		t.Error(err)
	}
	f, err := os.Open(filepath.Join(newest.Path, newest.Manifest.Homes[0].File))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > 64<<20 {
		t.Errorf("the archive has %d bytes, %v", info.Size(), err)
	}
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files, links := 0, map[string]string{}
	for r := tar.NewReader(z); ; {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch name := strings.TrimPrefix(m.Name, "files/"); {
		case m.Typeflag == tar.TypeSymlink:
			links[name] = m.Linkname
		case m.Typeflag == tar.TypeReg && strings.HasPrefix(name, "many/"):
			files++
		}
	}
	want := map[string]string{"out": "/etc/passwd", "root": "/", "circle": "circle", "dangling": "gone"}
	if !maps.Equal(links, want) {
		t.Errorf("the links are %q", links)
	}
	if files < size.files-200 {
		t.Errorf("the archive has %d of %d files", files, size.files)
	}
}
