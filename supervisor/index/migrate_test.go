package index

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// released lists the migrations with their SHA-256. A new migration adds a line; no line is ever
// changed or deleted.
var released = map[string]string{
	"migration/0001_first.sql":  "286d82553e76b87f956b90f2c9df91f015f63377df75d039b40c782b3bc759d9",
	"migration/0002_vector.sql": "d69941342c66d8cc27008ff0e46d7e2c0b475acbc3312574368929ac7c625465",
	"migration/0003_change.sql": "8dd02e8c92616b1efe366bcf4119e6bfcff1b7dc49c2d1f7b1c886df76f83285",
}

func TestReleasedMigrations_AreUnchanged(t *testing.T) {
	names, err := fs.Glob(migrations, "migration/*")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range names {
		body, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(body)
		got[name] = hex.EncodeToString(sum[:])
	}
	if d := cmp.Diff(released, got); d != "" {
		t.Errorf("(-released +here)\n%s", d)
	}
}
