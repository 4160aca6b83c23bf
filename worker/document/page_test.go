package document

import (
	"strings"
	"testing"

	"mews/worker/parse"
)

// TestParsePage_Inputs_BecomeText has the line before each body, the body, and the text.
func TestParsePage_Inputs_BecomeText(t *testing.T) {
	const html = `{"address":"https://a.example/x/","media_type":"text/html","charset":""}` + "\n"
	latin := strings.Replace(html, `"charset":""`, `"charset":"iso-8859-1"`, 1)
	plain := strings.Replace(html, "text/html", "text/csv", 1)
	deep := strings.Repeat("<div>", 600) + `<a href="https://b.example/">b</a>`
	for name, c := range map[string]struct {
		data, title, text string
		format            parse.Format
	}{
		"a page": {html + "<title>t</title>a <a href=b>c</a>", "t", "a [c](https://a.example/x/b)",
			parse.FormatPage},
		"an encoding":          {latin + "<p>caf\xe9", "", "café", parse.FormatPage},
		"an encoding of words": {html + "<meta charset=windows-1251><p>\xe4\xe0", "", "да", parse.FormatPage},
		"UTF-16 in ASCII":      {html + "<meta charset=utf-16le><p>a", "", "a", parse.FormatPage},
		"a mark":               {html + "\xff\xfe<\x00p\x00>\x00a\x00", "", "a", parse.FormatPage},
		"deep elements":        {html + deep, "", "b (https://b.example/)", parse.FormatPage},
		"a table":              {plain + "a,<b>\n1,2\n", "", "a,<b>\n1,2\n", parse.FormatText},
		"an unknown encoding":  {strings.Replace(plain, `""`, `"klingon"`, 1) + "a", "", "a", parse.FormatText},
		"nothing":              {plain, "", "", parse.FormatText},
	} {
		a, err := parseBytes(t, parse.KindPage, []byte(c.data))
		if err != nil || a.Title != c.title || a.body != c.text || a.Format != c.format {
			t.Errorf("%s: got %s, %q and %q, %v", name, a.Format, a.Title, a.body, err)
		}
	}
}

func TestParsePage_BadInput_IsRefused(t *testing.T) {
	for _, line := range []string{"", "\n", "{}\n", "<p>a", `{"address":"https://a.example"}`,
		`{"address":"file:///etc/passwd","media_type":"text/html","charset":""}` + "\n",
		`{"address":"https://a.example","MEDIA_TYPE":"text/html"}` + "\n",
		strings.Repeat(" ", 1<<17) + "\n"} {
		if _, err := parseBytes(t, parse.KindPage, []byte(line+"<p>a")); err == nil {
			t.Errorf("%.60q: no error", line)
		}
	}
}

func FuzzPage(f *testing.F) {
	const html = `{"address":"https://a.example/","media_type":"text/html","charset":""}` + "\n"
	fuzzParser(f, parse.KindPage, html+"<title>a</title><main><p>b <a href=c>d</a><table><tr><th>e</table></main>",
		html+"<meta charset=utf-16><div><ul><li>a</ul>", strings.Replace(html, "html", "csv", 1)+"a,b")
}
