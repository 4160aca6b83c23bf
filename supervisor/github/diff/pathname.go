package diff

import "strings"

// readBothNames reads the name from "a/name b/name" if both names are equal. If they differ, other
// header lines have the names.
func readBothNames(f *File, rest string) {
	half := len(rest) / 2
	if len(rest)%2 == 0 || rest[half] != ' ' {
		return
	}
	before, after := unquoted(rest[:half]), unquoted(rest[half+1:])
	if before == after {
		f.Old, f.New = before, after
		return
	}
	name, ok := strings.CutPrefix(before, "a/")
	if ok && after == "b/"+name {
		f.Old, f.New = name, name
	}
}

func readOneName(f *File, rest string) {
	f.Old = unquoted(rest)
	f.New = f.Old
}

func readOldName(f *File, rest string) {
	if name := nameOf(rest); name == nowhere {
		f.Status = FileAdded
	} else if f.Status != FileRenamed && f.Status != FileCopied {
		f.Old = strings.TrimPrefix(name, "a/")
	}
}

func readNewName(f *File, rest string) {
	if name := nameOf(rest); name == nowhere {
		f.Status = FileRemoved
	} else if f.Status != FileRenamed && f.Status != FileCopied {
		f.New = strings.TrimPrefix(name, "b/")
	}
}

// nowhere is the name for a file that does not exist.
const nowhere = "/dev/null"

// nameOf returns the name from a header line. git puts a tab after a name with spaces. Other
// programs put the time there.
func nameOf(rest string) string {
	name, _, _ := strings.Cut(rest, "\t") // a quoted name contains no tab
	return unquoted(name)
}

// escapes are the letters after a backslash in a quoted name, and their meanings. (git's quote.c,
// which quotes like C.)
const (
	escaped = `abtnvfr"\`
	meant   = "\a\b\t\n\v\f\r\"\\"
)

// unquoted removes the quotes and escapes from a name. A name that is not correctly quoted is
// returned unchanged.
func unquoted(name string) string {
	inner, ok := strings.CutPrefix(name, `"`)
	if inner, ok2 := strings.CutSuffix(inner, `"`); ok && ok2 {
		if plain, ok := unescape(inner); ok {
			return plain
		}
	}
	return name
}

func unescape(s string) (plain string, ok bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		if at := strings.IndexByte(escaped, s[i]); at >= 0 {
			b.WriteByte(meant[at])
			continue
		}
		c, ok := octal(s[i:])
		if !ok {
			return "", false
		}
		b.WriteByte(c)
		i += 2
	}
	return b.String(), true
}

// octal parses three octal digits.
func octal(s string) (c byte, ok bool) {
	if len(s) < 3 || s[0] > '3' {
		return 0, false
	}
	for i := range 3 {
		if s[i] < '0' || s[i] > '7' {
			return 0, false
		}
		c = c<<3 | (s[i] - '0')
	}
	return c, true
}
