package main

import (
	"bytes"
	"testing"
)

func TestPrintReport_ComparesWithLastRun(t *testing.T) {
	for _, test := range []struct{ name, now, last, want string }{
		{
			"within all limits", "build 10 ok\ntest 345 failed\nnightly 170 ok\n", "build 12\ntest 300\n",
			"part        time    last    more  result\n" +
				"build        10s     12s     -2s  ok\n" +
				"test        345s    300s    +45s  failed\n" +
				"nightly     170s       -       -  ok\n" +
				"all         525s    312s   +213s\n",
		},
		{
			"a minute more", "test 360 ok\nnightly 0 ok\n", "# kept\ntest 300\nnightly 100\n",
			"part        time    last    more  result\n" +
				"test        360s    300s    +60s  ok\n" +
				"nightly       0s    100s   -100s  ok\n" +
				"all         360s    400s    -40s\n" +
				"alarm: 60 seconds more than the last kept run without nightly, at most 45\n",
		},
		{
			"no kept run", "test 600 over its budget\nnightly 181 ok\n", "",
			"part        time    last    more  result\n" +
				"test        600s       -       -  over its budget\n" +
				"nightly     181s       -       -  ok\n" +
				"all         781s       -       -\n" +
				"alarm: the run took 781 seconds, at most 660\n" +
				"alarm: nightly took 181 seconds, at most 180\n",
		},
	} {
		var out bytes.Buffer
		printReport(&out, parts(t, test.now), parts(t, test.last))
		if got := out.String(); got != test.want {
			t.Errorf("%s: got:\n%s\nwant:\n%s", test.name, got, test.want)
		}
	}
}

func parts(t *testing.T, text string) []part {
	t.Helper()
	all, err := parseParts(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestParseParts_BadLine_Fails(t *testing.T) {
	for _, text := range []string{"test\n", "test soon ok\n"} {
		if got, err := parseParts(text); err == nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
