package doctor

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mews/supervisor/admin"
)

// userVersionOffset is the offset of the last byte of the schema's version in a database file.
const userVersionOffset = 63

func TestExamineDatabase_StoppedService_IsRead(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(r.dir, "state", "private", "mews.db")
	r.expectFinding("database", "ok "+textNoDatabase)
	r.request(admin.MethodUserList, admin.UserRequest{})
	r.expectFinding("database", "ok fully checked: no damage; schema ")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".schema42", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{".schema43.partial", ".schema43.partial-journal", ".partial"} {
		if err := os.WriteFile(path+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.expectFinding("database", "ok ; 1 copy of it, made before an update")
	older := append([]byte{}, sound...)
	older[userVersionOffset]--
	if err := os.WriteFile(path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	r.expectFinding("gate", "WARN Start Mews once")
	if now, err := os.ReadFile(path); !bytes.Equal(now, older) || err != nil {
		t.Errorf("the doctor has changed an older database: %v", err)
	}
	for _, c := range []struct {
		content func() []byte // returns the content of the file; nil means no file
		want    string
	}{
		{nil, "BAD is missing or empty"},
		{func() []byte { return nil }, "BAD is missing or empty"},
		{func() []byte { return sound[:len(sound)-5*4096] }, "BAD Mews's database is damaged"},
		{func() []byte {
			bad := append([]byte{}, sound...)
			for at := len(bad) - 40*4096; at < len(bad); at += 4096 {
				copy(bad[at:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
			}
			return bad
		}, "BAD Mews's database is damaged"},
		{func() []byte { return sound }, "ok no damage"},
	} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if c.content != nil {
			if err := os.WriteFile(path, c.content(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r.expectFinding("database", c.want)
	}
}

func TestExamineService_ConfiguredAndStopped_IsBad(t *testing.T) {
	r := newRig(t)
	r.expectFinding("service", "BAD not running; start it with ")
	for _, e := range examinations {
		if e.name == "service" {
			if _, err := e.examine(t.Context(), Options{Config: r.load(), Version: "test"}); err != nil {
				t.Errorf("without a configuration: %v", err)
			}
		}
	}
}
