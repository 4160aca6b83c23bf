package receive

import (
	"fmt"
	"strings"
	"testing"

	"mews/protocol/amount"
)

// TestOmitEncoded_Cards_KeepAllElse: photos and the like are left out with their size, as each
// version of the format writes them. All other fields stay.
func TestOmitEncoded_Cards_KeepAllElse(t *testing.T) {
	data := strings.Repeat("QUJD", 100) // 300 bytes
	words := strings.NewReplacer(
		"DATA", data,
		"FOLDED", data[:60]+"\r\n "+data[60:200]+"\r\n\t"+data[200:],
		"LINES", data[:200]+"\n"+data[200:],
		"LEFT", fmt.Sprintf(textEncodedLeft, amount.FormatBytes(300)))
	for name, c := range map[string]struct{ card, want string }{
		"no photo": {"FN:Ann\nTEL:1\n", "FN:Ann\nTEL:1\n"},
		"3.0": {"PHOTO;ENCODING=b;TYPE=JPEG:FOLDED\r\nTEL:1\r\n",
			"PHOTO;ENCODING=b;TYPE=JPEG:LEFT\nTEL:1\r\n"},
		"3.0, type first": {"PHOTO;TYPE=JPEG;ENCODING=B:FOLDED\nTEL:1\n",
			"PHOTO;TYPE=JPEG;ENCODING=B:LEFT\nTEL:1\n"},
		"a group's": {"item1.LOGO;ENCODING=b:DATA\nTEL:1\n", "item1.LOGO;ENCODING=b:LEFT\nTEL:1\n"},
		"2.1": {"PHOTO;JPEG;ENCODING=BASE64:FOLDED\n\nTEL:1\n",
			"PHOTO;JPEG;ENCODING=BASE64:LEFT\n\nTEL:1\n"},
		"2.1, not folded": {"PHOTO;BASE64:\nLINES\n\nTEL:1\n", "PHOTO;BASE64:LEFT\n\nTEL:1\n"},
		"4.0": {"PHOTO:data:image/jpeg;base64,DATA\nTEL:1\n",
			"PHOTO:data:image/jpeg;base64,LEFT\nTEL:1\n"},
		"4.0, parameters": {"PHOTO;PREF=1:data:image/png;base64,FOLDED\n",
			"PHOTO;PREF=1:data:image/png;base64,LEFT\n"},
		"a calendar": {"ATTACH;ENCODING=BASE64;VALUE=BINARY:DATA\nX:1\n",
			"ATTACH;ENCODING=BASE64;VALUE=BINARY:LEFT\nX:1\n"},
		"cut": {"PHOTO;ENCODING=b:FOLDED", "PHOTO;ENCODING=b:LEFT\n"},
		"a photo's address": {"PHOTO;VALUE=uri:https://a.example/b.jpg\n",
			"PHOTO;VALUE=uri:https://a.example/b.jpg\n"},
		"a short value":    {"KEY;ENCODING=b:QUJD\nTEL:1\n", "KEY;ENCODING=b:QUJD\nTEL:1\n"},
		"a note's words":   {"NOTE:the ;base64, of it\n more\nTEL:1\n", "NOTE:the ;base64, of it\n more\nTEL:1\n"},
		"quoted-printable": {"NOTE;ENCODING=QUOTED-PRINTABLE:a=\nb\n", "NOTE;ENCODING=QUOTED-PRINTABLE:a=\nb\n"},
		"the next field":   {"PHOTO;ENCODING=b:DATA\nEND:VCARD\n", "PHOTO;ENCODING=b:LEFT\nEND:VCARD\n"},
		"two fields": {"LOGO;BASE64:FOLDED\nSOUND;ENCODING=b:DATA\n",
			"LOGO;BASE64:LEFT\nSOUND;ENCODING=b:LEFT\n"},
		"no field's name": {":DATA\n", ":DATA\n"},
		"an empty value":  {"PHOTO;ENCODING=b:\nTEL:1\n", "PHOTO;ENCODING=b:\nTEL:1\n"},
	} {
		if got, want := omitEncoded(words.Replace(c.card)), words.Replace(c.want); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
