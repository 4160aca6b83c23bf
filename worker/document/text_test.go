package document

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/worker/parse"
)

// compareTexts parses each file and compares its text.
func compareTexts(t *testing.T, kind parse.Kind, cases map[string]struct{ data, want string }) {
	t.Helper()
	for name, c := range cases {
		got, err := parseBytes(t, kind, []byte(c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.body); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestHTML_Elements_BecomeText(t *testing.T) {
	compareTexts(t, parse.KindHTML, map[string]struct{ data, want string }{
		"a page": {"<!doctype html><html><head><title>Trip</title><style>p{}</style></head><body><h1>Plan</h1>" +
			"<p>Take\n the <b>9:04</b>.</p><p>Then walk.</p></body></html>",
			"# Trip\n\n# Plan\n\nTake the 9:04.\n\nThen walk."},
		"scripts":  {"a<script>alert('<p>')</script><noscript>x</noscript>b", "ab"},
		"entities": {"&lt;a&gt; &amp; &eacute;&#8364;", "<a> & é€"},
		"links": {
			`see <a href="https://a.example/b">this</a> and <a href="#top">top</a>`,
			"see this (https://a.example/b) and top",
		},
		"lists":        {"<ul><li>a<li><p>b</p><ol><li>c</li><li>d</li></ol></ul>e", "- a\n- b\n\n  1. c\n  2. d\ne"},
		"preformatted": {"<p>x</p><pre>if a {\n\tb\n}</pre>y", "x\n\nif a {\n\tb\n}\n\ny"},
		"breaks":       {"a<br>b<br/>c<hr>d", "a\nb\nc\n\n---\n\nd"},
		"pictures":     {`<img alt="a cat" src="x"><img src="y">`, "[picture: a cat]"},
		"a table": {
			"x<table><tr><th>a<th>b<tr><td>1|2<td>3</table>y",
			"x\n| a | b |\n| --- | --- |\n| 1\\|2 | 3 |\n\ny",
		},
		"a layout table": {
			"<table><tr><td><p>Hi</p><table><tr><td>a</td><td>b</td></tr></table>Bye</td></tr></table>",
			"Hi\n| a | b |\n| --- | --- |\n\nBye\n\n",
		},
		"one column":    {"<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", "a\nb\n\n"},
		"no markup":     {"just words", "just words"},
		"latin letters": {"<meta charset=iso-8859-1><p>caf\xe9</p>", "café"},
		"utf-16":        {"\xff\xfe<\x00p\x00>\x00\xe9\x00", "é"},
		"japanese":      {"<meta charset=shift_jis><p>\x93\xfa\x96{", "日本"},
		"open elements": {"</p></table><td>a</li><b>b", "a\nb"},
		"nothing":       {"", ""},
	})
}

func TestRTF_Document_BecomesText(t *testing.T) {
	compareTexts(t, parse.KindRTF, map[string]struct{ data, want string }{
		"paragraphs":   {`{\rtf1\ansi Dear Ann,\par one\tab two\line three}`, "Dear Ann,\none\ttwo\nthree"},
		"letters":      {`{\rtf1\ansi\ansicpg1252 caf\'e9 \'80}`, "café €"},
		"unicode":      {`{\rtf1\uc1 \u8364?5 \u-10179?\u-8704?}`, "€5 😀"},
		"unicode, uc2": {`{\rtf1\uc2\u233\'c3\'a9x}`, "éx"},
		"cyrillic font": {
			`{\rtf1\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}\f1 \'cf\'f0\'e8\f0 \'e9}`,
			"Приé",
		},
		"japanese": {`{\rtf1\ansicpg932 \'93\'fa\'96\'7b}`, "日本"},
		"left out": {
			`{\rtf1{\stylesheet{\s1 Normal;}}{\info{\title x}}{\*\generator y;}{\pict 89504e47}a{\header h}}`,
			"a",
		},
		"a field":     {`{\rtf1{\field{\*\fldinst HYPERLINK "https://a.example"}{\fldrslt here}}}`, "here"},
		"escapes":     {`{\rtf1 \{a\}\\b\~c\_d\-e}`, "{a}\\b\u00a0c-de"},
		"punctuation": {`{\rtf1 \ldblquote a\rdblquote\emdash b\bullet}`, "“a”—b•"},
		"binary data": {"{\\rtf1 a{\\pict\\bin5 }}{{{}b}", "ab"},
		"a table": {
			`{\rtf1 x\par\trowd\intbl a\cell b\cell\row\trowd\intbl 1\cell 2\cell\row\pard y}`,
			"x\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\ny",
		},
		"without an end": {`{\rtf1 a\par b`, "a\nb"},
		"at a backslash": {`{\rtf1 a\`, "a"},
		"groups ended":   {`{\rtf1 a}}}}b`, "ab"},
	})
}

const notebookJSON = `{"nbformat":4,"metadata":{"kernelspec":{"language":"python"}},"cells":[
{"cell_type":"markdown","source":["# Costs\n","per month"]},
{"cell_type":"code","source":"print(1+1)","outputs":[{"output_type":"stream","text":["2\n"]}]},
{"cell_type":"code","source":["plot()"],"outputs":[{"output_type":"display_data","data":{"image/png":"iVBOR","text/plain":["<Figure>"]}}]},
{"cell_type":"code","source":[],"outputs":[{"output_type":"error","ename":"KeyError","evalue":"'a'","traceback":["\u001b[31m"]}]}]}`

func TestNotebook_Cells_BecomeText(t *testing.T) {
	compareTexts(t, parse.KindNotebook, map[string]struct{ data, want string }{
		"format 4": {notebookJSON, "# Costs\nper month\n\n```python\nprint(1+1)\n```\n\nOutput:\n```\n2\n```\n\n" +
			"```python\nplot()\n```\n\nOutput:\n```\n<Figure>\n[a" +
			" picture]\n```\n\n```python\n\n```\n\nOutput:\n```\nKeyError: 'a'\n```\n\n"},
		"format 3": {
			`{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"code","input":["a = 1"],"outputs":[]}]}]}`,
			"```\na = 1\n```\n\n",
		},
		"fences":  {"{\"cells\":[{\"cell_type\":\"code\",\"source\":\"```\"}]}", "````\n```\n````\n\n"},
		"nothing": {`{}`, ""},
	})
}

const tableXML = `<w:document><w:body><w:p><w:t>Before</w:t></w:p><w:tbl>
<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:t>Name</w:t></w:p></w:tc><w:tc><w:p><w:t>Cost</w:t></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:t>Rent</w:t></w:p><w:p><w:t>cold</w:t></w:p></w:tc><w:tc><w:p/></w:tc><w:tc><w:p><w:t>8|50</w:t></w:p></w:tc></w:tr>
</w:tbl><w:p><w:t>After</w:t></w:p></w:body></w:document>`

func TestZip_Documents_BecomeText(t *testing.T) {
	book := map[string]string{
		"mimetype":               "application/epub+zip",
		"META-INF/container.xml": `<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
		"OPS/book.opf": `<package><metadata><dc:title>Sea</dc:title><dc:creator>Ann ` +
			`Lee</dc:creator></metadata><manifest>` +
			`<item id="c1" href="a%20b.xhtml"/><item id="c2" href="../two.xhtml"/></manifest><spine><itemref ` +
			`idref="c2"/><itemref idref="c1"/>` +
			`<itemref idref="none"/></spine></package>`,
		"OPS/a b.xhtml": `<html><body><p>It ends.</p></body></html>`,
		"two.xhtml": `<?xml version="1.0"?><html xmlns="x"><body><h1>One</h1><p>It begins, caf` + "é" +
			`.</p></body></html>`,
	}
	sheet := map[string]string{
		"xl/workbook.xml":            `<w><sheet name="A" id="1"/></w>`,
		"xl/_rels/workbook.xml.rels": `<r><Relationship Id="1" Target="s.xml"/></r>`,
		"xl/s.xml": `<d><row><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f></c><c r="C1"><f t="shared" ref="C1:C9" ` +
			`si="0">B1+1</f><v>3</v></c>` +
			`<c r="D1"><f t="shared" si="0"/><v>4</v></c></row></d>`,
	}
	hidden := map[string]string{
		"xl/workbook.xml": `<w><sheet name="A" state="visible" id="1"/><sheet name="B" state="hidden" id="2"/>` +
			`<sheet name="C" state="veryHidden" id="1"/></w>`,
		"xl/_rels/workbook.xml.rels": `<r><Relationship Id="1" Target="s.xml"/>` +
			`<Relationship Id="2" Target="t.xml"/></r>`,
		"xl/s.xml": `<d><row><c r="A1"><v>1</v></c></row></d>`,
		"xl/t.xml": `<d><row><c r="A1"><v>2</v></c></row></d>`,
	}
	compareTexts(t, parse.KindZip, map[string]struct{ data, want string }{
		"hidden sheets": {string(makeZip(t, hidden)), "A:\n1\n\n" + fmt.Sprintf(textHiddenSheet, "B") + ":\n2\n\n" +
			fmt.Sprintf(textHiddenSheet, "C") + ":\n1\n\n"},
		"a table in Word": {string(makeZip(t, map[string]string{"word/document.xml": tableXML})),
			"Before\n| Name |  | Cost |\n| --- | --- | --- |\n| Rent / cold |  | 8\\|50 |\n\nAfter\n"},
		"a slide's table": {string(makeZip(t, map[string]string{"ppt/presentation.xml": "<p/>",
			"ppt/slides/slide1.xml": `<a:tbl><a:tr><a:tc><a:p><a:t>a</a:t></a:p></a:tc><a:tc><a:p><a:t>b</a:t></a:p` +
				`></a:tc></a:tr></a:tbl>`})),
			"Slide 1:\n| a | b |\n| --- | --- |\n\n\n"},
		"an OpenDocument table": {
			string(makeZip(t, map[string]string{"content.xml": `<o><table:table table:name="T"><table:table-row>` +
				`<table:table-cell ` +
				`table:number-columns-repeated="2"><text:p>a</text:p></table:table-cell><table:table-cell/></ta` +
				`ble:table-row>` +
				`</table:table></o>`})),
			"| a | a |\n| --- | --- |\n\n",
		},
		"formulas": {string(makeZip(t, sheet)), "A:\n1,=A1*2,3,4\nFormulas:\nB1: =A1*2\nC1:C9: =B1+1\n\n"},
		"a book":   {string(makeZip(t, book)), "Sea\nAnn Lee\n\n# One\n\nIt begins, café.\n\nIt ends.\n"},
	})
}
