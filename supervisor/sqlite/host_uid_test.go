package sqlite

import "testing"

// A second call returns the same id. After the user is erased, no other user gets that id.
func TestHostUID_ErasedUser_IsNotReused(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	uids := r.db.HostUIDs()
	of := func(user string, from, to uint32) uint32 {
		t.Helper()
		uid, err := uids.Assign(t.Context(), user, from, to, 0, nil)
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
	if uid, err := uids.Assign(t.Context(), "cat", 70000, 70002, 0, nil); err == nil {
		t.Errorf("beyond the last there is %d", uid)
	}
}

// A user gets the wanted id, unless another user has or had it, or it is outside the range.
func TestHostUID_WantedUID_IsUsedIfFree(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	uids := r.db.HostUIDs()
	const from, to = 70000, 70009
	for _, c := range []struct {
		user   string
		wanted uint32
		taken  []uint32
		want   uint32
	}{
		{"ann", 70005, nil, 70005},
		{"ann", 70006, nil, 70005}, // ann has an id already
		{"ben", 70005, nil, 70000},
		{"cat", 0, []uint32{70001, 70002}, 70003},
		{"dan", 99999, []uint32{70001}, 70002},
		{"eve", 70009, []uint32{70009}, 70009},
		{"fay", 1, []uint32{70001, 70004, 70006, 70007}, 70008},
		{"gus", 0, []uint32{70001, 70004, 70006, 70007}, 0},
		{"gus", 0, nil, 70001},
		{"hal", 70001, nil, 70004},
	} {
		uid, err := uids.Assign(t.Context(), c.user, from, to, c.wanted, c.taken)
		if uid != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%s has %d, %v, want %d", c.user, uid, err, c.want)
		}
		if found, err := uids.Find(t.Context(), c.user, from, to); found != c.want || err != nil {
			t.Errorf("%s is found with %d, %v, want %d", c.user, found, err, c.want)
		}
	}
}
