package document

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"mews/worker/parse"
)

// zipFormats are the formats that are ZIP archives. Each has a file that only its archives contain.
var zipFormats = []struct {
	marker string
	format parse.Format
	write  func(*zipFile, *lines) error
}{
	{
		"word/document.xml",
		parse.FormatWord,
		func(z *zipFile, out *lines) error { return z.writeText("word/document.xml", wordText, out) },
	},
	{"xl/workbook.xml", parse.FormatSheet, writeSheets},
	{"ppt/presentation.xml", parse.FormatSlides, writeSlides},
	{
		"content.xml",
		parse.FormatOpenDocument,
		func(z *zipFile, out *lines) error { return z.writeText("content.xml", openDocumentText, out) },
	},
	{"META-INF/container.xml", parse.FormatEPUB, writeBook},
}

// textRules tell how to find the text in an XML document. They name elements without a prefix.
type textRules struct {
	text   map[string]bool   // elements that hold text
	begins map[string]string // text in place of an element's start
	ends   map[string]string // text in place of an element's end
	leave  map[string]bool   // elements that are left out with their contents
	tables map[string]tablePart
}

// The rules of ECMA-376 (Office Open XML) and of OpenDocument 1.3. Fallback repeats the contents of
// a newer element.
var (
	officeTables = map[string]tablePart{"tbl": partTable, "tr": partRow, "tc": partCell}

	wordText = textRules{
		text: map[string]bool{"t": true}, begins: map[string]string{"tab": "\t", "br": "\n", "cr": "\n"},
		ends: map[string]string{"p": "\n"}, leave: map[string]bool{"Fallback": true, "pPr": true, "sectPr": true},
		tables: officeTables,
	}
	slideText = textRules{
		text: map[string]bool{"t": true}, begins: map[string]string{"br": "\n"}, ends: map[string]string{"p": "\n"},
		leave: map[string]bool{"Fallback": true}, tables: officeTables,
	}
	openDocumentText = textRules{
		text: map[string]bool{"p": true, "h": true},
		begins: map[string]string{
			"tab":        "\t",
			"line-break": "\n",
			"s":          " ",
		}, ends: map[string]string{"p": "\n", "h": "\n"},
		leave: map[string]bool{"annotation": true, "tracked-changes": true},
		tables: map[string]tablePart{
			"table":              partTable,
			"table-row":          partRow,
			"table-cell":         partCell,
			"covered-table-cell": partCell,
		},
	}
)

// maxToken bounds one element's start or one piece of text, in bytes. A decoder holds the whole
// token in memory, where many attributes take twenty times as much room.
const maxToken = 1 << 20

// tokenReader is the input of a decoder. It bounds one token.
type tokenReader struct {
	*bufio.Reader
	taken int // number of bytes read since the last token
}

func (r *tokenReader) ReadByte() (byte, error) {
	if r.taken++; r.taken > maxToken {
		return 0, parse.NewFailure(parse.ReasonDamaged)
	}
	return r.Reader.ReadByte()
}

// eachToken reads an XML document. It uses the decoder's raw tokens, for which the decoder keeps no
// stack of open elements. The caller handles prefixes of names. Only XML's own five entities are
// defined.
func eachToken(from io.Reader, see func(xml.Token) error) error {
	r := &tokenReader{Reader: bufio.NewReader(from)}
	for d := xml.NewDecoder(r); ; r.taken = 0 {
		token, err := d.RawToken()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = see(token)
		}
		if err != nil {
			return err
		}
	}
}

// writeText writes the text of an XML document in the archive.
func (z *zipFile) writeText(name string, rules textRules, out *lines) error {
	w := textWriter{rules: rules, tables: tables{out: out}}
	return z.unpack(name, func(from io.Reader) error { return eachToken(from, w.take) })
}

// textWriter writes the text of one XML document.
type textWriter struct {
	rules  textRules
	tables tables
	open   int // number of open elements with text
	left   int // number of open elements inside an omitted element
}

func (w *textWriter) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		w.start(t)
	case xml.EndElement:
		w.end(t.Name.Local)
	case xml.CharData:
		if w.open > 0 && w.left == 0 {
			w.tables.add(string(t))
		}
	}
	return w.tables.out.err
}

func (w *textWriter) start(e xml.StartElement) {
	switch name := e.Name.Local; {
	case w.left > 0 || w.rules.leave[name]:
		w.left++
	case w.rules.text[name]:
		w.open++
	case w.rules.tables[name] == partTable:
		w.tables.beginTable()
	case w.rules.tables[name] != "":
		w.tables.begin(w.rules.tables[name])
		w.tables.repeat(attribute(e, "number-columns-repeated"))
	case name == "gridSpan":
		w.tables.widen(attribute(e, "val"))
	default:
		w.tables.add(w.rules.begins[name])
	}
}

func (w *textWriter) end(name string) {
	if w.left > 0 {
		w.left--
		return
	}
	if w.rules.text[name] {
		w.open--
	}
	if part := w.rules.tables[name]; part != "" {
		w.tables.end(part)
	}
	w.tables.add(w.rules.ends[name])
}

// maxSlides bounds the slides of a presentation.
const maxSlides = 1000

// writeSlides writes the text of each slide, in the order of their numbers.
func writeSlides(z *zipFile, out *lines) error {
	for n := 1; n <= maxSlides; n++ {
		name := fmt.Sprintf("ppt/slides/slide%d.xml", n)
		if z.find(name) == nil {
			break
		}
		out.add(fmt.Sprintf(textSlide+"\n", n))
		if err := z.writeText(name, slideText, out); err != nil {
			return err
		}
		out.add("\n")
	}
	return out.err
}

// attribute returns an attribute's value, by its name without a prefix; "" if the element lacks the
// attribute.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// csvField formats a field of a CSV line (RFC 4180).
func csvField(text string) string {
	if !strings.ContainsAny(text, "\",\n\r") {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
