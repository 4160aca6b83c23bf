package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line of code has at most maxColumns columns. A tab counts as tabColumns.
const (
	maxColumns = 120
	tabColumns = 4
)

// longLinesFile lists the files that had longer lines when the limit was introduced, each with the
// number of its long lines. The numbers may only fall.
const longLinesFile = "testdata/long-lines.txt"

var update = flag.Bool("update", false, "lower the counts of "+longLinesFile)

func TestLongLines_Files_HaveNoNewOnes(t *testing.T) {
	found := map[string][]int{}
	eachGoFile(t, func(name string, text []byte) error {
		if lines := longLines(text); len(lines) > 0 {
			found[name] = lines
		}
		return nil
	})
	text, err := os.ReadFile(longLinesFile)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := readLongLines(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		lowerLongLines(t, listed, found)
	}
	for _, fault := range faultsOfLongLines(listed, found) {
		t.Error(fault)
	}
}

func TestLongLines_CommentsAndTexts_AreExempt(t *testing.T) {
	wide := func(n int) string { return strings.Repeat("x", n) }
	for name, text := range map[string]string{
		"code that fits":   "var a = \"" + wide(110) + "\"",
		"a tab":            "\tvar a = \"" + wide(106) + "\"",
		"two bytes":        "var a = \"" + strings.Repeat("é", 110) + "\"",
		"a comment":        "// " + wide(120),
		"a long comment":   "/*\n" + wide(130) + "\n*/",
		"a text of lines":  "var a = `\n" + wide(130) + "\n`",
		"a remark by code": "var a int // " + wide(107),
	} {
		if got := longLines([]byte(text)); len(got) != 0 {
			t.Errorf("%s: lines %v are too long", name, got)
		}
	}
	for name, text := range map[string]string{
		"code":             "var a = \"" + wide(111) + "\"",
		"a tab":            "\tvar a = \"" + wide(107) + "\"",
		"two bytes":        "var a = \"" + strings.Repeat("é", 111) + "\"",
		"a short text":     "var a = `" + wide(111) + "`",
		"a remark by code": "var a int // " + wide(108),
	} {
		if got := longLines([]byte("package p\n" + text)); !slices.Equal(got, []int{2}) {
			t.Errorf("%s: lines %v are too long, want 2", name, got)
		}
	}
}

func TestLongLines_ListOfExceptions_OnlyShrinks(t *testing.T) {
	listed := map[string]int{"a.go": 2, "b.go": 2, "c.go": 2, "gone.go": 1}
	found := map[string][]int{"a.go": {1, 5}, "b.go": {7}, "c.go": {1, 2, 3}, "new.go": {9}}
	want := []string{
		longLinesFile + `: write "b.go 1" instead of "b.go 2"`,
		"c.go: 3 lines of code have more than 120 columns, and 2 may: lines [1 2 3]",
		longLinesFile + `: delete "gone.go 1"`,
		"new.go: 1 lines of code have more than 120 columns, and 0 may: lines [9]",
	}
	if got := faultsOfLongLines(listed, found); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// longLines returns the numbers of the lines of code that are too long. Comments and string
// literals of several lines do not count.
func longLines(text []byte) (long []int) {
	wide := map[int]bool{}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if utf8.RuneCount(line)+(tabColumns-1)*bytes.Count(line, []byte("\t")) > maxColumns {
			wide[i+1] = true
		}
	}
	if len(wide) == 0 {
		return nil
	}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	code := map[int]bool{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		line := file.Line(at)
		if kind != token.SEMICOLON && wide[line] { // the scanner reports a semicolon at the end of a comment's line
			code[line] = true
		}
		if kind != token.STRING || !strings.Contains(literal, "\n") {
			continue
		}
		for i := range strings.Count(literal, "\n") + 1 {
			delete(wide, line+i)
			delete(code, line+i)
		}
	}
	return slices.Sorted(maps.Keys(code))
}

// readLongLines reads longLinesFile: each line has a file and a number.
func readLongLines(text string) (map[string]int, error) {
	listed := map[string]int{}
	for line := range strings.Lines(text) {
		name, count, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(count)
		if _, twice := listed[name]; err != nil || twice {
			return nil, fmt.Errorf("%s: %q: want each file once, with a count", longLinesFile, line)
		}
		listed[name] = n
	}
	return listed, nil
}

func faultsOfLongLines(listed map[string]int, found map[string][]int) (faults []string) {
	both := maps.Clone(listed)
	for name, lines := range found {
		both[name] = len(lines)
	}
	for _, name := range slices.Sorted(maps.Keys(both)) {
		most, now := listed[name], len(found[name])
		switch {
		case now > most:
			faults = append(faults, fmt.Sprintf("%s: %d lines of code have more than %d columns, and %d may: lines %v",
				name, now, maxColumns, most, found[name]))
		case now == 0:
			faults = append(faults, fmt.Sprintf(`%s: delete "%s %d"`, longLinesFile, name, most))
		case now < most:
			faults = append(faults, fmt.Sprintf(`%s: write "%s %d" instead of "%[2]s %[4]d"`,
				longLinesFile, name, now, most))
		}
	}
	return faults
}

// lowerLongLines lowers the listed numbers to the found numbers, also in the file. It raises no
// number.
func lowerLongLines(t *testing.T, listed map[string]int, found map[string][]int) {
	t.Helper()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if listed[name] = min(listed[name], len(found[name])); listed[name] == 0 {
			delete(listed, name)
			continue
		}
		fmt.Fprintln(&text, name, listed[name])
	}
	if err := os.WriteFile(longLinesFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
