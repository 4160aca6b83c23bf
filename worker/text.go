package worker

import "unicode/utf8"

// TrimPartialRune returns s without an incomplete character at its end. Cutting a text may leave
// one there.
func TrimPartialRune[T string | []byte](s T) T {
	for n := 1; n <= utf8.UTFMax && n <= len(s); n++ {
		if tail := []byte(s[len(s)-n:]); utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}
