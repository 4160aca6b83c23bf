package index

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// updateWholeHome updates the index with a complete home of these files, each "path=hash".
func (r *rig) updateWholeHome(user string, files ...string) {
	r.Helper()
	r.await("the index", func() bool { return r.index.reconciledDB() != nil })
	var list []HomeFile
	for _, f := range files {
		var path, hash string
		if _, err := fmt.Sscanf(f, "%s %s", &path, &hash); err != nil {
			r.Fatal(err)
		}
		list = append(list, HomeFile{Path: path, Hash: hash, Size: int64(len(hash)), Modified: time.Unix(0,
			int64(len(hash)*1000)+int64(hash[0]))})
	}
	u := r.index.BeginHomeUpdate(user)
	differing, err := u.AddFiles(r.Context(), list)
	var batch []HomeFile
	for _, i := range differing {
		batch = append(batch, list[i])
	}
	if err == nil && len(batch) > 0 {
		_, err = u.AddSections(r.Context(), batch)
	}
	if err == nil {
		_, err = u.End(r.Context(), HomeCoverage{}, false)
	}
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) changes(user string, since supervisor.HomeChangePosition) (list []string,
	next supervisor.HomeChangePosition) {
	r.Helper()
	changes, next, ok, err := r.index.ListHomeFileChanges(r.Context(), user, since)
	if err != nil || !ok {
		r.Fatalf("since %+v: %t, %v", since, ok, err)
	}
	for _, c := range changes {
		list = append(list, fmt.Sprintf("%s %s>%s", c.Path, c.Before, c.After))
	}
	return list, next
}

func (r *rig) cursor(user string) supervisor.HomeChangePosition {
	r.Helper()
	_, next, ok, err := r.index.ListHomeFileChanges(r.Context(), user, supervisor.HomeChangePosition{})
	if err != nil || ok {
		r.Fatalf("of no database: %t, %v", ok, err)
	}
	return next
}

// Files of the first complete update are no changes. All changes since a cursor are listed
// together, once.
func TestListHomeChanges_SinceCursor_IsComplete(t *testing.T) {
	r := newRig(t, "ann", "bob").run()
	r.updateWholeHome("ann", "a 1", "b 1", "c 1", "d 1")
	first := r.cursor("ann")
	if list, next := r.changes("ann", first); len(list) > 0 || next != first {
		t.Errorf("of a home that was found so %q, %+v", list, next)
	}
	r.updateWholeHome("bob", "x 1")
	r.updateWholeHome("bob", "x 2")
	r.updateWholeHome("ann", "a 2", "b 2", "d 1", "e 1", "f 1")
	second := r.cursor("ann")
	r.updateWholeHome("ann", "a 3", "b 1", "d 1", "e 1")
	// file b is unchanged in the end, and file f has come and gone
	want := []string{"a 1>3", "c 1>-", "e ->1"}
	list, last := r.changes("ann", first)
	if !slices.Equal(list, want) {
		t.Errorf("since the first look %q", list)
	}
	if list, next := r.changes("ann", second); !slices.Equal(list, []string{"a 2>3", "b 2>1", "f 1>-"}) || next != last {
		t.Errorf("since the second %q, %+v", list, next)
	}
	if list, _ := r.changes("ann", last); len(list) > 0 {
		t.Errorf("since the last %q", list)
	}
	changes, _, _, _ := r.index.ListHomeFileChanges(t.Context(), "ann", first)
	if now := changes[0]; now.Size != 1 || now.Modified.UnixNano() != 1000+'3' {
		t.Errorf("a is %+v", now)
	}
}

// A rebuilt database reports no earlier changes, and does not report all files as new.
func TestListHomeChanges_RebuiltIndex_ListsNothing(t *testing.T) {
	r := newRig(t, "ann").run()
	r.updateWholeHome("ann", "a 1")
	was := r.cursor("ann")
	r.stop()
	if err := RemoveDatabase(r.index.o.Path); err != nil {
		t.Fatal(err)
	}
	r.run()
	r.updateWholeHome("ann", "a 2", "b 1")
	if list, next, ok, err := r.index.ListHomeFileChanges(t.Context(), "ann", was); len(list) > 0 || ok || err != nil ||
		next.Epoch == was.Epoch || next.ID != 0 {
		t.Errorf("it tells %+v, %+v, %t, %v", list, next, ok, err)
	}
}

// Changes survive a restart. They expire, and are deleted with their user.
func TestHomeChanges_Old_AreDeleted(t *testing.T) {
	now := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	r := newRig(t, "ann")
	r.index.o.Now = func() time.Time { return now }
	r.run()
	r.updateWholeHome("ann", "a 1")
	first := r.cursor("ann")
	r.updateWholeHome("ann", "a 2")
	r.stop()
	r.run()
	r.await("the index", func() bool { return r.index.reconciledDB() != nil })
	if list, _ := r.changes("ann", first); !slices.Equal(list, []string{"a 1>2"}) {
		t.Errorf("after a start %q", list)
	}
	now = now.Add(changesPeriod + time.Hour)
	r.updateWholeHome("ann", "a 2", "b 1")
	if list, _ := r.changes("ann", first); !slices.Equal(list, []string{"b ->1"}) {
		t.Errorf("after a month %q", list)
	}
	if err := r.index.EraseUser(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if n, err := engine.FirstValue(r.index.openDB().Reader(t.Context()), engine.ScanInteger,
		"SELECT count(*) FROM change"); n != 0 || err != nil {
		t.Errorf("%d changes are kept of somebody who was erased, %v", n, err)
	}
}
