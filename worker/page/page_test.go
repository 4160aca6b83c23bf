package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

var address = &url.URL{Scheme: "https", Host: "example.org", Path: "/news/today.html"}

// article is text that is long enough for a main part.
var article = strings.Repeat("<p>"+sentence+"</p>\n", 8)

const sentence = "The river rose again last night, and the mill, the bridge and the lower road are closed."

func convert(t testing.TB, page string) Page {
	t.Helper()
	p, err := Convert(strings.NewReader(page), address)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestConvert_Parts_KeepsOnlyMainPart: each page has KEEP in the parts that must stay, and DROP in
// all others.
func TestConvert_Parts_KeepsOnlyMainPart(t *testing.T) {
	for name, page := range map[string]string{
		"navigation": `<div class=menu><a href=/>DROP</a></div><div class=content>KEEP` + article + `</div>`,
		"side bar":   `<div id=main><p>KEEP` + article + `</div><div id=sidebar><p>DROP, DROP and DROP again</div>`,
		"script":     `<article>KEEP<script>DROP</script><style>DROP</style>` + article + `</article>`,
		"template":   `<article>KEEP<template><p>DROP</template>` + article + `</article>`,
		"hidden": `<article>KEEP<p hidden>DROP<p style="display: none">DROP` +
			`<p aria-hidden=true>DROP</p>` + article + `</article>`,
		"comment": `<article>KEEP<!-- DROP -->` + article + `</article>` +
			`<div class=comments><p>DROP, DROP, DROP, DROP</div>`,
		"foot": `<main>KEEP` + article + `<footer>DROP</footer></main>`,
		"form": `<main>KEEP` + article + `<form>` +
			`<label>DROP<input name=a></label><button>DROP</button></form></main>`,
		"links":     `<main>KEEP` + article + `<div><a href=1>DROP one</a>, <a href=2>DROP two</a></div></main>`,
		"share":     `<main>KEEP` + article + `<div class="share">DROP</div></main>`,
		"dialog":    `<dialog>DROP cookies</dialog><main>KEEP` + article + `</main>`,
		"role":      `<div role=navigation><p>DROP, a long text of a navigation</div><main>KEEP` + article + `</main>`,
		"short":     `<h1>Opening hours</h1><p>KEEP Monday 9 to 5</p>`,
		"few words": `<nav><a href=/>DROP</a></nav><main>KEEP</main>`,
		"one word":  `KEEP`,
		"two parts": `<div><section class=a>KEEP` + article + `</section>` +
			`<section class=a>KEEP` + article + `</section></div>`,
		"data":   `<main>` + article + `<table><tr><th>Day<th>From<tr><td>Monday<td>KEEP</table></main>`,
		"layout": `<table width=100%><tr><td width=20%><script>DROP</script><td><p>KEEP` + article + `</table>`,
	} {
		got := string(convert(t, "<!doctype html><title>News</title><body>"+page).Markdown)
		if strings.Contains(got, "DROP") || strings.Count(got, "KEEP") != strings.Count(page, "KEEP") {
			t.Errorf("%s: got %.400q", name, got)
		}
	}
}

func TestConvert_Elements_BecomeMarkdown(t *testing.T) {
	for page, want := range map[string]string{
		`<a href=a>b</a>`:                                                   `[b](https://example.org/news/a)`,
		`<a href=/a?b=1#c>b</a>`:                                            `[b](https://example.org/a?b=1#c)`,
		`<a href=//other.example/x>b</a>`:                                   `[b](https://other.example/x)`,
		`<a href="mailto:ann@example.org">b</a>`:                            `[b](mailto:ann@example.org)`,
		`<a href="javascript:alert(1)">b</a>`:                               `b`,
		`<a href="data:text/html,x">b</a>`:                                  `b`,
		`<a href="#note">b</a>`:                                             `b`,
		`<a href="http://[bad">b</a>`:                                       `b`,
		`<a href="x" onclick="y()" title=z>b</a>`:                           `[b](https://example.org/news/x)`,
		`a <b>b</b> <i>c</i> <code>d</code>`:                                "a **b** *c* `d`",
		`<h3>a</h3><p>b</p>`:                                                "### a\n\nb",
		`<ul><li>a<li>b</ul>`:                                               "- a\n- b",
		`<ol start=3><li>a<li>b</ol>`:                                       "3. a\n4. b",
		`<blockquote>a</blockquote>`:                                        `> a`,
		`<pre><code class="language-go">a  b</code></pre>`:                  "```go\na  b\n```",
		`<img src=a.png alt="a cat">`:                                       `![a cat](https://example.org/news/a.png)`,
		`x<img src=a.png>`:                                                  `x`,
		`x<img src="data:image/png;base64,AA" alt=a>`:                       `x`,
		`<table><tr><th>a<th>b<tr><td>c<td>d</table>`:                       "| a | b |\n|---|---|\n| c | d |",
		`<table><caption>t</caption><tr><td colspan=1000000>a<td>b</table>`: "|  |  |\n|---|---|\n| a | b |\n\nt",
		`<p>caf&eacute; &#x1f431; &nosuch;`:                                 "café 🐱 &nosuch;",
	} {
		if got := string(convert(t, "<body>"+page).Markdown); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func TestConvert_BaseElement_ChangesAddresses(t *testing.T) {
	for base, want := range map[string]string{
		"https://other.example/x/": "https://other.example/x/a",
		"/y/":                      "https://example.org/y/a",
		"javascript:x":             "https://example.org/news/a",
		"http://[bad":              "https://example.org/news/a",
	} {
		got := string(convert(t, `<base href="`+base+`"><a href=a>b</a>`).Markdown)
		if got != "[b]("+want+")" {
			t.Errorf("%s: got %s", base, got)
		}
	}
}

func TestConvert_Title_IsShortenedToOneLine(t *testing.T) {
	for page, want := range map[string]string{
		"<title> a\n b </title>":                      "a b",
		"<title></title><h1>c <b>d</b></h1>":          "c d",
		"<svg><title>x</title></svg><title>y</title>": "y",
		"<title>a\u0085b\x7fc</title>":                "a b c",
		"<p>a":                                        "",
		"<title>" + strings.Repeat("ü", 200):          strings.Repeat("ü", 150),
	} {
		if got := convert(t, page).Title; got != want {
			t.Errorf("%.40s: got %q, want %q", page, got, want)
		}
	}
}

// TestConvert_HostilePages_End: no page makes the result much larger than the page.
func TestConvert_HostilePages_End(t *testing.T) {
	const n = 2000
	for name, page := range map[string]string{
		"nested tables": strings.Repeat("<table><tr><th>a<td>", 120) + "x",
		"wide cells":    "<table><caption>a</caption>" + strings.Repeat("<tr><td colspan=999999 rowspan=99999>a", n),
		"authors":       strings.Repeat("<div class=author>", 400) + strings.Repeat(article, 50),
		"quotes":        strings.Repeat("<blockquote>", 400) + article,
		"lists":         strings.Repeat("<ul><li>", 240) + article,
		"formatting":    strings.Repeat("<p><b><i>", n),
		"brackets":      strings.Repeat("<", n),
		"fences":        "<pre>" + strings.Repeat("\n`", n),
		"attributes":    "<p " + strings.Repeat("a b ", n) + ">hello",
		"open links":    strings.Repeat("<a href=x><b>x<p>", n),
		"frames":        "<frameset><frame src=a></frameset>",
		"nothing":       "",
		"zero bytes":    strings.Repeat("\x00", n),
		"half a tag":    "<a href='",
	} {
		p := convert(t, page)
		if len(p.Markdown) > 100_000+20*len(page) {
			t.Errorf("%s: %d bytes of %d", name, len(p.Markdown), len(page))
		}
	}
	if _, err := Convert(strings.NewReader(strings.Repeat("<div>", 600)), address); err == nil {
		t.Error("600 nested elements: no error")
	}
}

func FuzzConvert(f *testing.F) {
	f.Add("<title>a</title><main>"+article+"<table><tr><th>a<td colspan=2>b</table></main>", "https://example.org/")
	f.Add("<base href=//b/><div><a href=c>d</a><br><br>e<ul><li>f</ul></div>", "http://a/?b#c")
	f.Fuzz(func(t *testing.T, page, from string) {
		u, err := url.Parse(from)
		if err != nil {
			return
		}
		p, err := Convert(strings.NewReader(page), u)
		if err == nil && strings.ContainsAny(p.Title, "\n\r\x00") {
			t.Errorf("title %q", p.Title)
		}
	})
}

// BenchmarkConvert_200KB converts a page of 200 KB. Three quarters of the page are text.
func BenchmarkConvert_200KB(b *testing.B) {
	var page strings.Builder
	page.WriteString("<!doctype html><title>News</title><body><div class=menu><ul>")
	for i := range 300 {
		fmt.Fprintf(&page, `<li class="menu-item item-%d"><a href="/section/%[1]d?from=menu" title="Section %[1]d">`+
			`Section %[1]d</a></li>`, i)
	}
	page.WriteString("</ul></div><div class=content>")
	for page.Len() < 200<<10 {
		page.WriteString(`<h2 class="title">A day</h2><div class="text"><p>The <a href="/river">river</a> ` +
			`rose <em>again</em> last night, and the mill, the bridge and the lower road are closed.</p></div>`)
	}
	b.SetBytes(int64(page.Len()))
	for b.Loop() {
		if p := convert(b, page.String()); len(p.Markdown) < 50<<10 {
			b.Fatalf("%d bytes", len(p.Markdown))
		}
	}
}
