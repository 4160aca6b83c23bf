package document

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/worker/parse"
)

// mailOf joins the lines of a mail.
func mailOf(lines ...string) string { return strings.Join(lines, "\r\n") }

var trip = mailOf(
	"From: =?utf-8?q?J=C3=BCrgen?= <j@a.example>",
	"To: Ann <ann@b.example>",
	"Date: Fri, 20 Nov 2026 13:19:05 +0100",
	"Subject: =?iso-8859-1?Q?Caf=E9_um?= =?iso-8859-1?Q?_neun?=",
	"MIME-Version: 1.0",
	`Content-Type: multipart/mixed; boundary="o"`,
	"",
	"--o",
	`Content-Type: multipart/alternative; boundary="i"`,
	"",
	"--i",
	"Content-Type: text/html; charset=utf-8",
	"",
	"<p>Bis <b>dann</b></p>",
	"--i",
	"Content-Type: text/plain; charset=iso-8859-1",
	"Content-Transfer-Encoding: quoted-printable",
	"",
	"Sch=F6n, bis dann",
	"--i--",
	"--o",
	"Content-Type: application/pdf",
	"Content-Transfer-Encoding: base64",
	"Content-Disposition: attachment; filename*=utf-8''Fahrplan%20M%C3%BCnchen.pdf",
	"",
	base64.StdEncoding.EncodeToString([]byte("%PDF-1")),
	"--o",
	"Content-Type: message/rfc822",
	"",
	"Subject: inner",
	"",
	"hello",
	"--o--",
	"",
)

func TestMail_Parts_AreRead(t *testing.T) {
	plain := "From: a@b.example\r\nSubject: x\r\n\r\nhello\r\n"
	html := "Subject: x\r\nContent-Type: text/html\r\n\r\n<meta charset=windows-1252><p>caf\xe9 &amp; tea</p>"
	for name, c := range map[string]struct {
		mail, text string
		files      []string
	}{
		"attachments": {trip, "From: Jürgen <j@a.example>\nTo: Ann <ann@b.example>\nDate: Fri, 20 Nov 2026" +
			" 13:19:05 +0100\nSubject: Café um neun\n\n" +
			"Schön, bis dann\n\nAttachments:\n- Fahrplan München.pdf (6 bytes)\n- message.eml (23 bytes)\n",
			[]string{"Fahrplan München.pdf: %PDF-1", "message.eml: Subject: inner\r\n\r\nhello"}},
		"a plain mail": {plain, "From: a@b.example\nSubject: x\n\nhello\n", nil},
		"a page":       {html, "Subject: x\n\ncafé & tea\n", nil},
		"japanese": {"Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nContent-Type: text/plain;" +
			" charset=iso-2022-jp\n\n\x1b$BF|K\\\x1b(B\n", "Subject: 日本\n\n日本\n", nil},
		"unknown set": {"Subject: x\nContent-Type: text/plain; charset=klingon\n\nhello\n", "Subject: x\n\nhello\n",
			nil},
		"a cut mail": {trip[:strings.Index(trip, "--o\r\nContent-Type: application")],
			"From: Jürgen <j@a.example>\nTo: Ann <ann@b.example>\n" +
				"Date: Fri, 20 Nov 2026 13:19:05 +0100\nSubject: Café um neun\n\nSchön, bis dann\n", nil},
		"a forged header": {"Subject: =?utf-8?B?YQpGcm9tOiBi?=\n\nx", "Subject: a From: b\n\nx\n", nil},
		"an inline picture": {mailOf("Subject: x", "Content-Type: multipart/related; boundary=r", "", "--r",
			"Content-Type: text/html", "", "<p>see</p>",
			"--r", "Content-Type: image/png", "Content-Id: <1>", "Content-Transfer-Encoding: base64", "", "eA==",
			"--r--"),
			"Subject: x\n\nsee\n\nAttachments:\n- picture.png (1 byte)\n", []string{"picture.png: x"}},
		"a path as a name": {mailOf("Subject: x", "Content-Type: text/plain",
			`Content-Disposition: attachment; filename="../../.bashrc"`, "", "rm"),
			"Subject: x\n\n\n\nAttachments:\n- .bashrc (2 bytes)\n", []string{".bashrc: rm"}},
		"bad base64": {mailOf("Subject: x", "Content-Type: image/png", "Content-Transfer-Encoding: base64", "", "!!!!"),
			"Subject: x\n\n\n", nil},
	} {
		got, err := parseBytes(t, parse.KindMail, []byte(c.mail))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.text, got.body[:got.Text]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var files []string
		rest := got.body[got.Text:]
		for _, f := range got.Files {
			files = append(files, f.Name+": "+rest[:f.Size])
			rest = rest[f.Size:]
		}
		if diff := cmp.Diff(c.files, files); diff != "" || rest != "" {
			t.Errorf("%s: %s, and %d bytes more", name, diff, len(rest))
		}
	}
}

// TestMail_ManyAttachments_AreBounded: attachments that do not fit are counted and named.
func TestMail_ManyAttachments_AreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("Subject: x\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n")
	for i := range 30 {
		fmt.Fprintf(&b, "--m\r\nContent-Type: image/png; name=%d.png\r\n\r\n%s\r\n", i, strings.Repeat("x", 1<<20))
	}
	b.WriteString("--m--\r\n")
	got, err := parseBytes(t, parse.KindMail, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 15 || got.LeftOut != 15 ||
		!strings.Contains(got.body[:got.Text], "- 29.png (left out: it is too large)\n") {
		t.Errorf("%d files, %d left out: %.900q", len(got.Files), got.LeftOut, got.body)
	}
}
