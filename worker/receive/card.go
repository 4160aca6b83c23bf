package receive

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"mews/protocol/amount"
)

// maxCard bounds how much of a vCard or a calendar is read, in bytes. Pictures may fill most of it.
const maxCard = 4 << 20

// isCard reports whether a text is a vCard or a calendar, by its first bytes. (RFC 6350, RFC 5545)
func isCard(head []byte) bool {
	head = bytes.ToUpper(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	return bytes.HasPrefix(head, []byte("BEGIN:VCARD")) || bytes.HasPrefix(head, []byte("BEGIN:VCALENDAR"))
}

var (
	// encodedField matches the beginning of a field whose value is base64: by a parameter in vCard
	// 2.1 and 3.0 and in calendars, by a data URL in vCard 4.0.
	encodedField = regexp.MustCompile(`(?i)^[A-Z0-9.-]+(?:;[^:]*)?;(?:ENCODING=)?(?:B|BASE64)(?:;[^:]*)?:` +
		`|^[A-Z0-9.-]+(?:;[^:]*)?:data:[^,]*;base64,`)
	// base64Line matches a line of base64. vCard 2.1 allows such lines without a space before them.
	base64Line = regexp.MustCompile(`^[A-Za-z0-9+/]+={0,2}$`)
)

// minEncoded is the length of the shortest base64 value that is left out, in bytes.
const minEncoded = 200

// omitEncoded replaces long base64 values in a vCard or a calendar, such as photos, by their sizes.
func omitEncoded(card string) string {
	var kept strings.Builder
	lines := strings.SplitAfter(card, "\n")
	for i := 0; i < len(lines); i++ {
		begin := encodedField.FindString(lines[i])
		if begin == "" {
			kept.WriteString(lines[i])
			continue
		}
		size, end := len(strings.TrimSpace(lines[i][len(begin):])), i+1
		for ; end < len(lines); end++ {
			more := strings.TrimSpace(lines[end])
			isFolded := strings.HasPrefix(lines[end], " ") || strings.HasPrefix(lines[end], "\t")
			if !isFolded && !base64Line.MatchString(more) {
				break
			}
			size += len(more)
		}
		if size < minEncoded {
			kept.WriteString(lines[i])
			continue
		}
		decoded := int64(base64.StdEncoding.DecodedLen(size))
		kept.WriteString(begin + fmt.Sprintf(textEncodedLeft, amount.FormatBytes(decoded)) + "\n")
		i = end - 1
	}
	return kept.String()
}
