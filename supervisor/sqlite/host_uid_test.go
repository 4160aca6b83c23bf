package sqlite

import "testing"

// A second call returns the same id. After the user is erased, no other user gets that id.
func TestHostUID_ErasedUser_IsNotReused(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	uids := r.db.HostUIDs()
	of := func(user string, from, to uint32) uint32 {
		t.Helper()
		uid, err := uids.Assign(t.Context(), user, from, to)
		if err != nil {
			t.Fatal(err)
		}
		return uid
	}
	for _, c := range []struct {
		user     string
		from, to uint32
		want     uint32
	}{{"ann", 70000, 70002, 70000}, {"ben", 70000, 70002, 70001}, {"ann", 70000, 70002, 70000}, {"ann", 80000, 80009, 80000},
		{"ben", 70000, 80009, 70001}} {
		if got := of(c.user, c.from, c.to); got != c.want {
			t.Errorf("%s between %d and %d: %d, want %d", c.user, c.from, c.to, got, c.want)
		}
	}
	if _, err := r.db.UserAccessStores().People.Erase(t.Context(), "ben"); err != nil {
		t.Fatal(err)
	}
	if got := of("ben", 70000, 70002); got != 70002 {
		t.Errorf("another ben has %d", got)
	}
	for first, want := range map[uint32]bool{70000: true, 70001: true, 90000: false} {
		if given, err := uids.WasAnyAssigned(t.Context(), first, first+9); given != want || err != nil {
			t.Errorf("given from %d on: %v, %v", first, given, err)
		}
	}
	if uid, err := uids.Assign(t.Context(), "cat", 70000, 70002); err == nil {
		t.Errorf("beyond the last there is %d", uid)
	}
}
