package services

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSuffixBytes is the maximum length of a path suffix.
const maxSuffixBytes = 2 << 10

// decodings is how many times a path may be decoded on its way. A proxy before a server makes two.
const decodings = 2

var (
	errSuffixLong    = errors.New("it has more than 2048 bytes")
	errSuffixEscape  = errors.New("it has a % that begins no escape; write %25")
	errSuffixEncoded = errors.New("it is encoded more than twice")
	errSuffixText    = errors.New("it is not valid UTF-8")
	errSuffixQuery   = errors.New("it has a ? or #; give query parameters in params")
	errSuffixSlash   = errors.New(`it has a \ or //`)
	errSuffixDots    = errors.New("it has . or .. as a part; write the path without them")
	errSuffixControl = errors.New("it has a control character")
)

// escapeSuffix returns a path suffix as it is written into a URL, without a slash at its beginning.
// Each escape in it stays. The error says why the suffix is refused: a server that decodes the path
// twice could leave the folder of the base URL, or see another request.
func escapeSuffix(suffix string) (string, error) {
	if len(suffix) > maxSuffixBytes {
		return "", errSuffixLong
	}
	level := suffix
	for decoded := 0; ; decoded++ {
		if err := checkLevel(level); err != nil {
			return "", err
		}
		next, err := url.PathUnescape(level)
		switch {
		case err != nil && decoded == 0:
			return "", errSuffixEscape
		case err != nil || next == level:
			return escapePath(strings.TrimPrefix(suffix, "/")), nil
		case decoded == decodings:
			return "", errSuffixEncoded
		}
		level = next
	}
}

// checkLevel checks a suffix as a server may see it. Some servers normalise letters, so that other
// characters become dots and slashes.
func checkLevel(level string) error {
	if !utf8.ValidString(level) {
		return errSuffixText
	}
	for _, text := range []string{level, norm.NFKC.String(level)} {
		switch {
		case strings.ContainsAny(text, "?#"):
			return errSuffixQuery
		case strings.Contains(text, `\`), strings.Contains(text, "//"):
			return errSuffixSlash
		case strings.ContainsFunc(text, isControl):
			return errSuffixControl
		}
		for part := range strings.SplitSeq(text, "/") {
			// some servers drop what follows a semicolon, and spaces at the ends
			name, _, _ := strings.Cut(part, ";")
			if name = strings.TrimSpace(name); name == "." || name == ".." {
				return errSuffixDots
			}
		}
	}
	return nil
}

// isControl reports whether a character is invisible and may change the meaning of others.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// escapePath escapes the bytes that a path can't have. It leaves the escapes of a path that
// escapeSuffix has checked.
func escapePath(path string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for _, c := range []byte(path) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("-._~!$&'()*+,;=:@/%", c) >= 0:
			out.WriteByte(c)
		default:
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return out.String()
}
