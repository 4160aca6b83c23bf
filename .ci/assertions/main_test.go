package main

import "testing"

func TestReport_IgnoresNamesAndLiterals(t *testing.T) {
	const before = "package p\nfunc TestOld(t *T) {\n\tif got := f(1); got != 2 {\n\t\tt.Errorf(\"bad %d\", got)\n\t}\n" +
		"\tif !g() {\n\t\tt.Fatal()\n\t}\n}\n"
	const after = "package p\nfunc TestNew(t *T) {\n\tif n := h(3); n != 4 {\n\t\tt.Errorf(\"worse %d\", n)\n\t}\n}\n"
	old, renamed := counts{}, counts{}
	if err := old.add("p/p_test.go", []byte(before)); err != nil {
		t.Fatal(err)
	}
	if err := renamed.add("p/p_test.go", []byte(after)); err != nil {
		t.Fatal(err)
	}
	const want = "p: -1 Fatal\np: -1 if !x()\n4 assertions before, 2 after\n"
	if got := report(old, renamed); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
