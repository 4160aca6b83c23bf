package filehistory

import "testing"

// TestSpace_Baseline_CountsWaiting: files that can't be kept do not wait.
func TestSpace_Baseline_CountsWaiting(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Exclude = []string{"*.iso"} })
	for _, name := range []string{"a", "b", "c.iso"} {
		f.write(name, name)
	}
	if s := f.h.Space(); s.Waiting != 2 || s.Left.Count != 3 {
		t.Errorf("at first: %+v", s)
	}
	f.keepAll()
	if s := f.h.Space(); s.Waiting != 0 || s.Left.Count != 1 || s.Files != 2 {
		t.Errorf("later: %+v", s)
	}
}
