package api_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"sync"
	"testing"

	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
)

const widget = "acme/widget"

// rig is a client of a fake GitHub. Both use the same clock.
type rig struct {
	*githubtest.Server
	*api.Client
	repo  *githubtest.Repo
	store *limitStore
}

// limitStore is a LimitStore in memory. Several clients can share it.
type limitStore struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (s *limitStore) LoadLimit(_ context.Context, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key], nil
}

func (s *limitStore) SaveLimit(_ context.Context, key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = value
	return nil
}

func newRig(t *testing.T, o githubtest.Options) *rig {
	t.Helper()
	r := &rig{Server: githubtest.New(t, o), store: &limitStore{kept: map[string][]byte{}}}
	r.Client = r.client(t)
	r.repo = r.Repo(widget)
	return r
}

// client returns a new client with the rig's store, as after a restart.
func (r *rig) client(t *testing.T) *api.Client {
	t.Helper()
	c, err := api.New(api.Options{URL: r.URL(), Token: r.Token, Store: r.store, Now: r.Now})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// appKey returns the App's key. All tests share one key, because it takes a moment to create.
var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func appPEM() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(appKey())}))
}

// newAppRig returns a rig whose client authenticates as an App.
func newAppRig(t *testing.T, o githubtest.Options) *rig {
	t.Helper()
	o.App = &githubtest.App{ID: 12345678, Slug: "mews", Key: &appKey().PublicKey, Hook: "http://127.0.0.1:1/", Secret: "s"}
	r := newRig(t, o)
	var err error
	r.Client, err = api.New(api.Options{URL: r.URL(), App: &api.App{ID: 12345678, Key: appPEM}, Store: r.store, Now: r.Now})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// numbered returns a file of n numbered lines. The lines in change have another text.
func numbered(n int, change ...int) string {
	var b strings.Builder
	for line := 1; line <= n; line++ {
		text := fmt.Sprintf("line %d", line)
		for _, c := range change {
			if c == line {
				text += " changed"
			}
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// open opens a pull request that changes the lines 10 and 40 of a.txt.
func (r *rig) open() int {
	r.repo.AddCommit("main", githubtest.Commit{Message: "Add a", Files: map[string]string{"a.txt": numbered(50)}})
	r.repo.AddCommit("topic", githubtest.Commit{Message: "Change a", Files: map[string]string{"a.txt": numbered(50, 10,
		40), "b/c.txt": "new\n"}})
	return r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "A change", Body: "Why", Head: "topic"})
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// failure checks that an error is an *Error of a class, and returns it.
func failure(t *testing.T, err error, class api.ErrorClass) *api.Error {
	t.Helper()
	e, ok := err.(*api.Error)
	if !ok || e.Class != class {
		t.Fatalf("got %v, want the class %s", err, class)
	}
	return e
}
