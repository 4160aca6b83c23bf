package update_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/release"
	"mews/supervisor/update"
)

// feed is a folder with one signed release, and the service that reads it.
type feed struct {
	*testing.T
	dir     string
	state   string
	keys    release.Keys
	private ed25519.PrivateKey
}

func newFeed(t *testing.T) *feed {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	second, _, secondErr := ed25519.GenerateKey(nil)
	f := &feed{T: t, dir: t.TempDir(), state: t.TempDir(), keys: release.Keys{public, second}, private: private}
	f.try(errors.Join(err, secondErr))
	f.publish(1, "v1.1.0")
	return f
}

func (f *feed) try(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// publish puts a release and its index into the folder.
func (f *feed) publish(number int, version string) {
	f.Helper()
	archive := []byte("the archive of " + version)
	v, err := release.ParseVersion(version)
	sum := sha256.Sum256(archive)
	x := release.Index{Number: number, Issued: time.Now().UTC().Truncate(24 * time.Hour), Releases: []release.Release{{
		Version: v, Platform: release.Platform(), Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:]),
		File: "mews.tar.gz", Notes: "faster"}}}
	f.try(errors.Join(err, os.WriteFile(filepath.Join(f.dir, release.IndexName), x.Sign(f.private), 0o600),
		os.WriteFile(filepath.Join(f.dir, "mews.tar.gz"), archive, 0o600)))
}

func (f *feed) options(location string) update.Options {
	return update.Options{State: f.state, Feed: location, Version: "v1.0.0", Platform: release.Platform(),
		Keys: func() (release.Keys, error) { return f.keys, nil }, Now: time.Now, Log: hclog.NewNullLogger(),
		FailedFile: filepath.Join(f.state, release.FailedName)}
}

// ask checks for a release and asks for it.
func (f *feed) ask(o update.Options) error {
	u := update.New(o)
	found, err := u.Check(context.Background())
	if err != nil {
		return err
	}
	if !found.Newer || found.Version.String() != "v1.1.0" {
		f.Errorf("found %v, newer: %v", found.Version, found.Newer)
	}
	return u.Request(context.Background(), found)
}

// asked returns the content of a file of the request, or "".
func (f *feed) asked(name string) string {
	text, _ := os.ReadFile(filepath.Join(release.RequestPath(f.state), name)) // there may be no request
	return string(text)
}

// TestRequest_EachFeed_WritesRequest: a folder and an https address, with a redirect, give the same.
func TestRequest_EachFeed_WritesRequest(t *testing.T) {
	f := newFeed(t)
	server := httptest.NewTLSServer(http.FileServer(http.Dir(f.dir)))
	defer server.Close()
	moved := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, server.URL+r.URL.Path, http.StatusFound)
	}))
	defer moved.Close()
	for name, location := range map[string]string{"folder": f.dir, "https": server.URL, "redirect": moved.URL + "/"} {
		t.Run(name, func(t *testing.T) {
			o := f.options(location)
			o.Transport = server.Client().Transport
			f.try(f.ask(o))
			index, err := os.ReadFile(filepath.Join(f.dir, release.IndexName))
			if f.asked("request") != "v1.1.0" || f.asked("archive") != "the archive of v1.1.0" ||
				err != nil || f.asked("index") != string(index) {
				t.Errorf("asked for %q, with %q: %v", f.asked("request"), f.asked("archive"), err)
			}
			if notes := release.ReadNotes(f.state, "v1.1.0"); notes != "faster" {
				t.Errorf("the notes are %q", notes)
			}
			f.try(release.RemoveRequest(f.state))
		})
	}
}

// TestRequest_BadFeed_IsRefusedInWords: nothing is asked for.
func TestRequest_BadFeed_IsRefusedInWords(t *testing.T) {
	f := newFeed(t)
	files := http.FileServer(http.Dir(f.dir))
	serve := func(handler http.HandlerFunc) *httptest.Server {
		s := httptest.NewTLSServer(handler)
		t.Cleanup(s.Close)
		return s
	}
	plain := httptest.NewServer(files)
	defer plain.Close()
	var loop *httptest.Server
	loop = serve(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, loop.URL+r.URL.Path, http.StatusFound)
	})
	cut := serve(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, release.IndexName) {
			files.ServeHTTP(w, r)
			return
		}
		_, _ = w.Write([]byte("the archive"))
	})
	for name, c := range map[string]struct{ location, want string }{
		"none":      {"", "set update.feed"},
		"no folder": {filepath.Join(f.dir, "gone"), "no such file"},
		"not found": {serve(http.NotFound).URL, "404 Not Found"},
		"to http": {serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, plain.URL+r.URL.Path, http.StatusFound)
		}).URL, "want https"},
		"endless redirects": {loop.URL, "at most 5 redirects"},
		"truncated":         {cut.URL, "it was cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			o := f.options(c.location)
			o.Transport = loop.Client().Transport
			if err := f.ask(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if f.asked("request") != "" {
				t.Error("it asked all the same")
			}
		})
	}
}

// TestCheck_OlderIndex_IsRefused: the number of the index only rises.
func TestCheck_OlderIndex_IsRefused(t *testing.T) {
	f := newFeed(t)
	f.publish(7, "v1.1.0")
	f.try(f.ask(f.options(f.dir)))
	f.publish(6, "v1.1.0")
	if err := f.ask(f.options(f.dir)); err == nil || !strings.Contains(err.Error(), "number 7 was seen before") {
		t.Errorf("an older index: %v", err)
	}
}

// TestRun_Daily_AsksOnceADay: at one minute of each day Run asks for what is newer, unless that has failed
// on this machine.
func TestRun_Daily_AsksOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed(t)
		var log bytes.Buffer
		o := f.options(f.dir)
		o.Log = hclog.New(&hclog.LoggerOptions{Output: &log})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- update.New(o).Run(ctx) }()
		tomorrow := time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour))
		time.Sleep(tomorrow - time.Second)
		synctest.Wait()
		if f.asked("request") != "" {
			t.Error("it asked on the first day")
		}
		for day, c := range []struct{ failed, want string }{{"", "v1.1.0"}, {"v1.1.0\n", ""}, {"v1.0.9", "v1.1.0"}} {
			f.try(errors.Join(release.RemoveRequest(f.state), os.WriteFile(o.FailedFile, []byte(c.failed), 0o600)))
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			if got := f.asked("request"); got != c.want {
				t.Errorf("day %d, after %q has failed: asked for %q, want %q\n%s", day, c.failed, got, c.want, &log)
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
