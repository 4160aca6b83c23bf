package webtools

import (
	"os"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/parse"
)

// hostileBodies returns bodies that harm naive readers, by their names. The first word of a name is
// the media type. n is how often their parts are repeated.
func hostileBodies(n int) map[string]string {
	repeat := strings.Repeat
	return map[string]string{
		"text/html deep":         repeat("<div>", n),
		"text/html deep, closed": repeat("<div>", 400) + repeat("x</div>", 400),
		"text/html tables":       repeat("<table><tr><td>", n/10),
		"text/html wide": "<table>" +
			repeat("<tr><td colspan=1000 rowspan=1000>a", n/10),
		"text/html quotes":     repeat("<blockquote>", 400) + repeat("<p>a b", n/10),
		"text/html lists":      repeat("<ul><li>", 240) + repeat("<p>a", n/10),
		"text/html formatting": repeat("<p><b><i><u>", n/10),
		"text/html links":      repeat("<a href=x>a</a>", n),
		"text/html open links": repeat("<a href=x><b>x<p>", n/10),
		"text/html brackets":   repeat("<", n),
		"text/html comments":   repeat("<!--", n),
		"text/html attributes": "<p " + repeat("a=b ", n) + ">x",
		"text/html entities": repeat("&amp;&#x41;&nosuch;",
			n),
		"text/html zeros":       repeat("\x00", n),
		"text/html no UTF-8":    repeat("\xff\xfe\xfd", n),
		"text/html selects":     repeat("<select><option>", n/10),
		"text/html scripts":     repeat("<script>", n),
		"text/html title":       "<title>" + repeat("a", n),
		"text/html frames":      repeat("<frameset>", n/10),
		"text/html svg":         repeat("<svg><title>", n/10),
		"text/html fences":      "<pre>" + repeat("\n```", n),
		"text/html ids":         repeat("<p class=comment id=content>a, b", n),
		"text/html wrong label": "\xff\xfe" + repeat("a", n),
		"text/html meta":        "<meta charset=utf-16le>" + repeat("<p>a", n),
		"text/plain one line":   repeat("a", n*10),
		"text/plain stamps":     repeat("[Fri 20 Nov 2026, 13:19]\n", n),
		"application/json deep": repeat("[", n),
		"application/pdf cut":   onePagePDF("tea")[:200],
		"application/pdf loop":  strings.Replace(onePagePDF("tea"), "/Kids[3 0 R]", "/Kids[2 0 R]", 1),
		"application/pdf count": strings.Replace(onePagePDF("tea"), "/Count 1", "/Count 999999999", 1),
		"image/png cut":         "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR",
		"image/png huge": "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x02\x00\x00\x00" +
			repeat("a", n),
		"image/gif huge":       "GIF89a\xff\xff\xff\xff\x80\x00\x00" + repeat("\x00", 10),
		"application/zip bomb": "PK\x03\x04" + repeat("\x00", n),
	}
}

// TestFetch_HostileBodies_AreShownOrNamed: each body is shown or named within the limits of parsers.
// MEWS_HOSTILE_BODIES=1 makes the bodies larger.
func TestFetch_HostileBodies_AreShownOrNamed(t *testing.T) {
	n := 1000
	if os.Getenv("MEWS_HOSTILE_BODIES") != "" {
		n = 100_000
	}
	for name, body := range hostileBodies(n) {
		r := newRig(t)
		mediaType, _, _ := strings.Cut(name, " ")
		r.supervisor.result = protocol.WebFetchResult{Address: "https://example.org/", Status: 200,
			MediaType: mediaType}
		r.supervisor.body = body
		start := time.Now()
		got, err := r.run(`{"url":"https://example.org/"}`)
		if err != nil || !got.World || !strings.Contains(got.Text, "https://example.org/\n") ||
			len(got.Text) > maxText+1000 {
			t.Errorf("%s: %d bytes, error %v", name, len(got.Text), err)
		}
		if spent := time.Since(start); spent > 2*parse.Timeout {
			t.Errorf("%s: it took %s", name, spent)
		}
		t.Logf("%s: %s, %d bytes: %.120q", name, time.Since(start), len(got.Text), got.Text)
	}
}
