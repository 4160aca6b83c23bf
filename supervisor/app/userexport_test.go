package app

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mews/supervisor"
	"mews/supervisor/admin"
)

// archiveFiles returns the files in an archive, by name. The text of a link is "-> target".
func archiveFiles(t *testing.T, archive io.Reader) map[string]string {
	t.Helper()
	zipped, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		found[h.Name] = string(text)
		if h.Typeflag == tar.TypeSymlink {
			found[h.Name] = "-> " + h.Linkname
		}
	}
}

func TestExport_HasUsersFiles(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		home := filepath.Join(c.dir, "ann")
		secret := filepath.Join(c.dir, "secret")
		long := strings.Repeat("0123456789abcdef", 200<<10/16)
		for _, err := range []error{
			os.MkdirAll(filepath.Join(home, "notes", "empty"), 0o700),
			os.WriteFile(filepath.Join(home, "notes", "a b.md"), []byte("hello"), 0o600),
			os.WriteFile(filepath.Join(home, "long"), []byte(long), 0o600),
			os.WriteFile(secret, []byte("not hers"), 0o600),
			os.Symlink(secret, filepath.Join(home, "link")),
			syscall.Mkfifo(filepath.Join(home, "pipe"), 0o600),
		} {
			if err != nil {
				c.t.Fatal(err)
			}
		}
		c.mustRun("user", "invite", "ann")
		file := filepath.Join(c.dir, "ann.tar.gz")
		c.mustRun("user", "export", "ann", "--output", file)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			c.t.Errorf("the file: %v, %v", info, err)
		}
		archive, err := os.ReadFile(file)
		if err != nil {
			c.t.Fatal(err)
		}
		got := archiveFiles(c.t, bytes.NewReader(archive))
		want := []string{"files/", "files/link", "files/long", "files/notes/", "files/notes/a b.md", "files/notes/empty/", "left-out.txt",
			"settings.json", "transcript.jsonl"}
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
			c.t.Errorf("it has %q, want %q", names, want)
		}
		if got["files/notes/a b.md"] != "hello" || got["files/long"] != long || got["files/link"] != "-> "+secret {
			c.t.Errorf("the files are not as they were: %q, %q", got["files/notes/a b.md"], got["files/link"])
		}
		if !strings.Contains(got["left-out.txt"], `"pipe": it is neither`) {
			c.t.Errorf("left out: %q", got["left-out.txt"])
		}
		if !strings.Contains(got["transcript.jsonl"], `"table":"invite"`) || !strings.Contains(got["settings.json"], `"name": "ann"`) {
			c.t.Errorf("the database's part: %q, %q", got["transcript.jsonl"], got["settings.json"])
		}
		c.mustFail("file exists", "user", "export", "ann", "--output", file)
		out, errs, code := c.run("", "user", "export", "ben")
		if code != 0 {
			c.t.Fatalf("exit %d, %s", code, errs)
		}
		if got := archiveFiles(c.t, strings.NewReader(out)); got["left-out.txt"] != "" || len(got) != 4 {
			c.t.Errorf("ben's has %v", got)
		}
		gone := filepath.Join(c.dir, "nobody.tar.gz")
		c.mustFail(`There is no user "nobody"`, "user", "export", "nobody", "--output", gone)
		if _, err := os.Stat(gone); err == nil {
			c.t.Error("half an export was left")
		}
	})
}

func TestUserDelete_LeavesNothing(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		c.mustRun("user", "add", "dan")
		home := filepath.Join(c.dir, "state", "homes", "dan")
		outside := filepath.Join(c.dir, "outside")
		for _, err := range []error{
			os.WriteFile(filepath.Join(home, "partLog"), []byte("hello"), 0o600), os.Mkdir(outside, 0o700),
			os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600), os.Symlink(outside, filepath.Join(home, "link")),
		} {
			if err != nil {
				c.t.Fatal(err)
			}
		}
		c.mustRun("user", "invite", "dan")
		c.mustFail("Run `mews user remove dan` first", "user", "delete", "dan", "--yes")
		if text, err := os.ReadFile(filepath.Join(home, "partLog")); string(text) != "hello" || c.listUsers()["dan"].Invites != 1 {
			c.t.Fatalf("a person who was not removed lost something: %q, %v", text, err)
		}
		c.mustRun("user", "disable", "dan")
		c.mustRun("user", "remove", "dan")
		c.mustFail("is in the configuration", "user", "delete", "ann", "--yes")
		c.mustFail("can have the name", "user", "delete", "../dan", "--yes")
		c.mustFail("There is no data of eve here", "user", "delete", "eve", "--yes")
		out, errs, code := c.run("ann\n", "user", "delete", "dan")
		if _, err := os.Stat(home); code == 0 || !strings.Contains(errs, "that is another name") || err != nil {
			c.t.Fatalf("exit %d, said %q, %v", code, errs, err)
		}
		for _, want := range []string{"  suspended      1 row\n", fmt.Sprintf("  %s, ", home), "in 2 files"} {
			if !strings.Contains(out, want) {
				c.t.Errorf("showed %q, want %q", out, want)
			}
		}
		if _, errs, code := c.run("dan\n", "user", "delete", "dan"); code != 0 {
			c.t.Fatalf("exit %d, said %q", code, errs)
		}
		if _, there := c.listUsers()["dan"]; there {
			c.t.Error("dan is still there")
		}
		if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
			c.t.Errorf("the folder: %v", err)
		}
		if _, err := os.Stat(filepath.Join(outside, "kept")); err != nil {
			c.t.Errorf("what a link led to: %v", err)
		}
		c.mustFail("There is no data of dan here", "user", "delete", "dan", "--yes")
		if got := strings.Join(c.auditedActions("user."), ", "); got != "dan user.added, dan user.disabled, dan user.removed, dan user.deleting, dan user.deleted" {
			c.t.Errorf("audited %s", got)
		}
	})
}

// Deleting a user first prevents new work, then stops the user's work, and then deletes the data.
func TestUserDelete_StopsWorkBeforeDeleting(t *testing.T) {
	t.Parallel()
	c := newCommandLine(t, true)
	c.mustRun("user", "add", "dan")
	c.mustRun("user", "remove", "dan")
	service := admin.New(c.s.adminOptions())
	home := filepath.Join(c.s.config.State, "homes", "dan")
	stuck, runs, did := true, 3, []string(nil)
	service.Running = &admin.RunningParts{Clean: c.s.cleanFiles, Work: admin.UserWork{
		EndOthers: []func(context.Context, string) error{
			func(_ context.Context, user string) error {
				did = append(did, "quit "+user)
				return nil
			},
		},
		ListUnfinished: func(context.Context) ([]supervisor.Conversation, error) {
			if _, there := c.s.people.Find("dan"); there {
				t.Error("it is looked at while dan may still begin something")
			}
			return []supervisor.Conversation{{ID: 1, User: "ann"}, {ID: 2, User: "dan"}, {ID: 3, User: "dan"}}, nil
		},
		StopTurn: func(conversation int64) bool {
			did = append(did, fmt.Sprint("stop ", conversation))
			runs--
			return conversation == 2 && runs > 0
		},
		Evict: func(_ context.Context, user string) error {
			did = append(did, "evict "+user)
			if _, err := os.Stat(home); err != nil {
				t.Errorf("the folder: %v", err)
			}
			if stuck {
				return errors.New("it hangs")
			}
			return nil
		},
	}}
	drop := func() error {
		_, err := service.DeletePerson(t.Context(), service.Caller(uint32(os.Getuid())),
			admin.DeleteUserRequest{User: "dan"})
		return err
	}
	if err := drop(); supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable || !strings.Contains(err.Error(),
		"it hangs. Run this again") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(home); err != nil {
		t.Errorf("the folder: %v", err)
	}
	stuck, runs, did = false, 4, nil
	if err := drop(); err != nil {
		t.Error(err)
	}
	if want := []string{"quit dan", "stop 2", "stop 3", "evict dan", "stop 2", "stop 2"}; !slices.Equal(did, want) {
		t.Errorf("what was done is %q, want %q", did, want)
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
	if got := strings.Join(c.auditedActions("user."), ", "); got != "dan user.added, dan user.removed, dan user.deleting, dan user.deleted" {
		t.Errorf("audited %s", got)
	}
}

// A person who was added and has not written yet may have no folder.
func TestExport_MissingHome_HasNoFiles(t *testing.T) {
	t.Parallel()
	c := newCommandLine(t, true)
	c.mustRun("user", "add", "dan")
	home := filepath.Join(c.dir, "state", "homes", "dan")
	must(t, os.Remove(home))
	out, errs, code := c.run("", "user", "export", "dan")
	if code != 0 {
		t.Fatalf("exit %d, %s", code, errs)
	}
	got := archiveFiles(t, strings.NewReader(out))
	if want := fmt.Sprintf("%q: there is no such folder\n", home); len(got) != 3 || got["left-out.txt"] != want {
		t.Errorf("it has %v", got)
	}
}
