package receive

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// officeFormats are the formats of office documents. Each has a file that only its archives
// contain.
var officeFormats = []struct {
	marker, kind string
	write        func(*zipFile, *lines) error
}{
	{"word/document.xml", "a Word document", func(z *zipFile, out *lines) error { return z.writeText("word/document.xml", wordText, out) }},
	{"xl/workbook.xml", "a spreadsheet, its sheets as CSV", writeSheets},
	{"ppt/presentation.xml", "a presentation", writeSlides},
	{"content.xml", "an OpenDocument file", func(z *zipFile, out *lines) error { return z.writeText("content.xml", openDocumentText, out) }},
}

// textRules tell how to find the text in an XML document. They name elements without a prefix.
type textRules struct {
	text   map[string]bool   // elements that hold text
	begins map[string]string // text in place of an element's start
	ends   map[string]string // text in place of an element's end
	leave  map[string]bool   // elements that are left out with their contents
}

// The rules of ECMA-376 (Office Open XML) and of OpenDocument 1.3. Fallback repeats the contents of
// a newer element.
var (
	wordText = textRules{
		text: map[string]bool{"t": true}, begins: map[string]string{"tab": "\t", "br": "\n", "cr": "\n"},
		ends: map[string]string{"p": "\n", "tc": "\t"}, leave: map[string]bool{"Fallback": true, "pPr": true, "sectPr": true},
	}
	slideText = textRules{
		text: map[string]bool{"t": true}, begins: map[string]string{"br": "\n"}, ends: map[string]string{"p": "\n"},
		leave: map[string]bool{"Fallback": true},
	}
	openDocumentText = textRules{
		text:   map[string]bool{"p": true, "h": true},
		begins: map[string]string{"tab": "\t", "line-break": "\n", "s": " "}, ends: map[string]string{"p": "\n", "h": "\n", "table-cell": "\t"},
		leave: map[string]bool{"annotation": true, "tracked-changes": true},
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
		return 0, errors.New(textDamaged)
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
	open, left := 0, 0 // number of open elements with text, and number of open elements inside an omitted element
	return z.unpack(name, func(from io.Reader) error {
		return eachToken(from, func(token xml.Token) error {
			switch t := token.(type) {
			case xml.StartElement:
				switch {
				case left > 0 || rules.leave[t.Name.Local]:
					left++
				case rules.text[t.Name.Local]:
					open++
				default:
					out.add(rules.begins[t.Name.Local])
				}
			case xml.EndElement:
				if left > 0 {
					left--
					break
				}
				if rules.text[t.Name.Local] {
					open--
				}
				out.add(rules.ends[t.Name.Local])
			case xml.CharData:
				if open > 0 && left == 0 {
					out.add(string(t))
				}
			}
			return out.err
		})
	})
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
		out.add(fmt.Sprintf("Slide %d:\n", n))
		if err := z.writeText(name, slideText, out); err != nil {
			return err
		}
		out.add("\n")
	}
	return out.err
}

// attribute returns an attribute's value, by its name without a prefix; "" if there is none.
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
