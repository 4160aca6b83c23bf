package document

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"mews/worker/parse"
)

// Bounds of a spreadsheet. A sheet has at most 16,384 columns (Excel's specifications).
const (
	maxShared  = 500_000
	maxStyles  = 65_490
	maxSheets  = 200
	maxColumns = 16_384

	maxFormulas = 1000 // maximum number of formulas that are listed below a sheet
)

// workbook holds the parts of a spreadsheet that its sheets refer to.
type workbook struct {
	shared []string   // texts that cells refer to by number
	dates  []bool     // whether each style shows a date, by the style's number
	sheets []sheetRef // in the order of the workbook
}

// sheetRef names one sheet of a workbook.
type sheetRef struct {
	name, file string
	hidden     bool // spreadsheet programs do not show the sheet
}

// writeSheets writes each sheet as CSV below a line with its name, and its formulas below it. The
// line marks a hidden sheet. Its cells are written too, because formulas of other sheets use them.
func writeSheets(z *zipFile, out *lines) error {
	var b workbook
	for _, read := range []func(*zipFile) error{b.readSheets, b.readShared, b.readStyles} {
		if err := read(z); err != nil {
			return err
		}
	}
	for _, sheet := range b.sheets {
		name := sheet.name
		if sheet.hidden {
			name = fmt.Sprintf(textHiddenSheet, name)
		}
		out.add(name + ":\n")
		if err := z.unpack(sheet.file, func(from io.Reader) error { return b.writeSheet(from, out) }); err != nil {
			return err
		}
		out.add("\n")
	}
	return out.err
}

// readSheets finds the names of the sheets and their files.
func (b *workbook) readSheets(z *zipFile) error {
	files := map[string]string{}
	err := z.eachStart("xl/_rels/workbook.xml.rels", func(e xml.StartElement) error {
		if target := attribute(e, "Target"); e.Name.Local == "Relationship" && len(files) < maxSheets {
			files[attribute(e, "Id")] = path.Join("/xl", target)[1:]
			if strings.HasPrefix(target, "/") {
				files[attribute(e, "Id")] = path.Clean(target)[1:]
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return z.eachStart("xl/workbook.xml", func(e xml.StartElement) error {
		if e.Name.Local == "sheet" && len(b.sheets) < maxSheets {
			state := attribute(e, "state") // "hidden", or "veryHidden" by a program (ECMA-376, 18.18.68)
			b.sheets = append(b.sheets, sheetRef{attribute(e, "name"), files[attribute(e, "id")],
				strings.HasSuffix(strings.ToLower(state), "hidden")})
		}
		return nil
	})
}

// eachStart calls see for the beginning of each element of a document in the archive.
func (z *zipFile) eachStart(name string, see func(xml.StartElement) error) error {
	return z.unpack(name, func(from io.Reader) error {
		return eachToken(from, func(token xml.Token) error {
			if e, ok := token.(xml.StartElement); ok {
				return see(e)
			}
			return nil
		})
	})
}

// readShared reads the shared texts, which cells refer to by number. The element rPh holds a text's
// pronunciation.
func (b *workbook) readShared(z *zipFile) error {
	var text strings.Builder
	open, aloud := false, false
	return z.unpack("xl/sharedStrings.xml", func(from io.Reader) error {
		return eachToken(from, func(token xml.Token) error {
			switch t := token.(type) {
			case xml.StartElement:
				open, aloud = t.Name.Local == "t", aloud || t.Name.Local == "rPh"
			case xml.CharData:
				if open && !aloud {
					text.Write(t)
				}
			case xml.EndElement:
				open, aloud = false, aloud && t.Name.Local != "rPh"
				if t.Name.Local != "si" {
					break
				}
				if len(b.shared) == maxShared {
					return parse.NewFailure(parse.ReasonTooMuchContent)
				}
				b.shared = append(b.shared, text.String())
				text.Reset()
			}
			return nil
		})
	})
}

// readStyles finds the styles that show dates.
func (b *workbook) readStyles(z *zipFile) error {
	formats, within := map[string]bool{}, false
	return z.eachStart("xl/styles.xml", func(e xml.StartElement) error {
		switch id := attribute(e, "numFmtId"); e.Name.Local {
		case "numFmt":
			if len(formats) < maxStyles {
				formats[id] = isDateFormat(attribute(e, "formatCode"))
			}
		case "cellXfs", "cellStyles", "cellStyleXfs", "dxfs":
			within = e.Name.Local == "cellXfs"
		case "xf":
			if within && len(b.dates) < maxStyles {
				n, _ := strconv.Atoi(id)
				// built-in date formats have these numbers (ECMA-376, 18.8.30)
				b.dates = append(b.dates, formats[id] || n >= 14 && n <= 17 || n == 22)
			}
		}
		return nil
	})
}

// isDateFormat reports whether a format shows a year or a day, outside of quotes, brackets and
// escapes.
func isDateFormat(code string) bool {
	skip := rune(0)
	for _, r := range strings.ToLower(code) {
		switch {
		case skip == '\\' || skip == r:
			skip = 0
		case skip != 0:
		case r == '"' || r == '\\':
			skip = r
		case r == '[':
			skip = ']'
		case r == 'y' || r == 'd':
			return true
		}
	}
	return false
}

// cell is the cell that is being read.
type cell struct {
	ref, kind, style string
	shared           string           // range of cells that share the formula; "" means this cell alone
	open             *strings.Builder // the value or formula whose element is being read
	value, formula   strings.Builder
}

// sheet is a sheet that is being written.
type sheet struct {
	*workbook
	out      *lines
	cell     *cell
	column   int // number of the last cell's column, from 1
	written  int // number of the column up to which the row was written
	formulas []string
	more     int // number of formulas that are not in the list
}

// writeSheet writes the rows of a sheet, and then its formulas.
func (b *workbook) writeSheet(from io.Reader, out *lines) error {
	s := &sheet{workbook: b, out: out, cell: &cell{}}
	err := eachToken(from, func(token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			s.start(t)
		case xml.CharData:
			if s.cell.open != nil {
				s.cell.open.Write(t)
			}
		case xml.EndElement:
			s.end(t.Name.Local)
		}
		return out.err
	})
	s.writeFormulas()
	return err
}

func (s *sheet) start(e xml.StartElement) {
	switch e.Name.Local {
	case "row":
		s.column, s.written = 0, 0
	case "c":
		s.cell = &cell{ref: attribute(e, "r"), kind: attribute(e, "t"), style: attribute(e, "s")}
		s.column = cmp.Or(columnOf(s.cell.ref), s.column+1)
	case "v", "t":
		s.cell.open = &s.cell.value
	case "f":
		s.cell.open, s.cell.shared = &s.cell.formula, attribute(e, "ref")
	}
}

func (s *sheet) end(name string) {
	switch name {
	case "v", "t", "f":
		s.cell.open = nil
	case "c":
		s.endCell()
	case "row":
		s.out.add("\n")
	}
}

// endCell writes a cell's value, or its formula if the file has no value for it.
func (s *sheet) endCell() {
	text := s.text(s.cell)
	if formula := strings.TrimSpace(s.cell.formula.String()); formula != "" {
		text = cmp.Or(text, "="+formula)
		if len(s.formulas) < maxFormulas {
			s.formulas = append(s.formulas, cmp.Or(s.cell.shared, s.cell.ref)+": ="+formula)
		} else {
			s.more++
		}
	}
	if text != "" && s.column > s.written {
		s.out.add(strings.Repeat(",", s.column-max(s.written, 1)) + csvField(text))
		s.written = s.column
	}
}

// writeFormulas lists the formulas of a sheet, each with its cell, or with the cells that share it.
func (s *sheet) writeFormulas() {
	if len(s.formulas) == 0 {
		return
	}
	s.out.add(textFormulas + "\n" + strings.Join(s.formulas, "\n") + "\n")
	if s.more > 0 {
		s.out.add(fmt.Sprintf(textMoreFormulas, s.more) + "\n")
	}
}

// columnOf returns the number of a cell's column, 1 for A; 0 if the reference names no column.
func columnOf(ref string) (n int) {
	for _, r := range ref {
		if r < 'A' || r > 'Z' || n > maxColumns {
			break
		}
		n = 26*n + int(r-'A') + 1
	}
	if n > maxColumns {
		return 0
	}
	return n
}

// text returns a cell's value as a spreadsheet program shows it.
func (b *workbook) text(c *cell) string {
	value := c.value.String()
	switch n, err := strconv.Atoi(value); {
	case c.kind == "s" && err == nil && n >= 0 && n < len(b.shared):
		return b.shared[n]
	case c.kind == "b":
		return map[string]string{"0": "FALSE", "1": "TRUE"}[value]
	case c.kind == "" || c.kind == "n":
		style, err := strconv.Atoi(c.style)
		if err == nil && style >= 0 && style < len(b.dates) && b.dates[style] {
			return dateOf(value)
		}
	}
	return value
}

// dateOf returns the date that is value days after 30 December 1899 (ECMA-376, 18.17.4.1). If value
// is no date, dateOf returns value itself.
func dateOf(value string) string {
	days, err := strconv.ParseFloat(value, 64)
	if err != nil || days < 1 || days > 2_958_465 { // the largest date is 31 December 9999
		return value
	}
	at := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
	if part := days - float64(int(days)); part > 0 {
		return at.Add(time.Duration(part * 24 * float64(time.Hour)).Round(time.Second)).Format("2006-01-02 15:04:05")
	}
	return at.Format(time.DateOnly)
}
