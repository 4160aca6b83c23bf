package charts

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mews/protocol/amount"
	"mews/worker/workspace"
)

const (
	maxCSVBytes   = 8 << 20
	maxCSVColumns = 1000
)

// table is a CSV file.
type table struct {
	path   string
	comma  rune
	names  []string
	rows   [][]string
	lines  []int // line of each row in the file
	header bool  // the first row names the columns
}

// readCSV reads columns of a CSV file as series. x is the name or number of a column; "" means the
// first. No ys mean all other columns with numbers.
func (p *plotter) readCSV(path, x string, ys []string) ([]column, error) {
	t, err := p.openCSV(path)
	if err != nil {
		return nil, err
	}
	xAt := 0
	if x != "" {
		if xAt, err = t.find(x); err != nil {
			return nil, err
		}
	}
	var at []int
	for _, y := range ys {
		n, err := t.find(y)
		if err != nil {
			return nil, err
		}
		at = append(at, n)
	}
	if len(ys) == 0 {
		for n := range t.names {
			if n != xAt && t.isNumeric(n) {
				at = append(at, n)
			}
		}
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("%s has no column with only numbers beside %s; its columns are %s",
			workspace.QuotePath(path),
			quote(t.names[xAt]), t.list())
	}
	if rows := len(t.rows) * len(at); rows > maxPoints {
		return nil, fmt.Errorf("%s has %s values in %s, and at most %s fit into a chart; "+
			"take fewer columns, or a file with fewer rows", workspace.QuotePath(path),
			amount.FormatNumber(int64(rows)), amount.Plural(len(at), "column", "columns"),
			amount.FormatNumber(maxPoints))
	}
	var columns []column
	for _, n := range at {
		c := column{name: cleanText(t.names[n]), decimalComma: usesDecimalComma(t.texts(n), t.comma)}
		c.x, c.y = t.cells(xAt), t.cells(n)
		columns = append(columns, c)
	}
	return columns, nil
}

// openCSV reads a whole file.
func (p *plotter) openCSV(path string) (*table, error) {
	f, err := p.ws.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	name := workspace.QuotePath(path)
	data, err := io.ReadAll(io.LimitReader(f, maxCSVBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > maxCSVBytes:
		return nil, fmt.Errorf("%s has more than %s, the most for a chart", name, amount.FormatBytes(maxCSVBytes))
	case !utf8.Valid(data):
		return nil, fmt.Errorf("%s is no text in UTF-8; save it as a CSV file in UTF-8", name)
	}
	t := &table{path: path, comma: delimiter(data)}
	if err := t.read(data); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return t, nil
}

// delimiter returns the character between the columns: the most frequent one of the first line.
func delimiter(data []byte) rune {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	best, most := ',', 0
	for _, r := range ",;\t|" {
		if n := bytes.Count(line, []byte(string(r))); n > most {
			best, most = r, n
		}
	}
	return best
}

func (t *table) read(data []byte) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = t.comma, -1, t.comma != '\t', true
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(row) > maxCSVColumns {
			return fmt.Errorf("it has %d columns, and at most %d are read", len(row), maxCSVColumns)
		}
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		line, _ := r.FieldPos(0)
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}
	if len(t.rows) == 0 {
		return errors.New("it is empty")
	}
	if t.header = hasHeader(t.rows[0]); t.header {
		t.names, t.rows, t.lines = t.rows[0], t.rows[1:], t.lines[1:]
	} else {
		for n := range t.rows[0] {
			t.names = append(t.names, fmt.Sprintf("column %d", n+1))
		}
	}
	if len(t.rows) == 0 {
		return errors.New("it has names of columns, and no values below them")
	}
	return nil
}

// hasHeader reports whether a first row has names: one of its texts is neither a number nor a date.
func hasHeader(row []string) bool {
	for _, text := range row {
		_, number := parseNumber(text, false)
		parse, err := dateLayout([]string{text}, time.UTC)
		if !number && parse == nil && err == nil && !isGap(text) {
			return true
		}
	}
	return false
}

// find returns a column by its name or its number.
func (t *table) find(name string) (int, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for n, known := range t.names {
			if same(strings.TrimSpace(known), strings.TrimSpace(name)) {
				return n, nil
			}
		}
	}
	if n, err := strconv.Atoi(strings.TrimSpace(name)); err == nil && n >= 1 && n <= len(t.names) {
		return n - 1, nil
	}
	return 0, fmt.Errorf("%s has no column %s; its columns are %s", workspace.QuotePath(t.path), quote(name), t.list())
}

// list names the columns for an error.
func (t *table) list() string {
	const most = 20
	var names []string
	for _, name := range t.names[:min(len(t.names), most)] {
		names = append(names, quote(strings.TrimSpace(name)))
	}
	if len(t.names) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// cells returns the values of a column. A short row has a gap.
func (t *table) cells(n int) (cells []cell) {
	for i, text := range t.texts(n) {
		where := fmt.Sprintf("%s, line %d, column %s", workspace.QuotePath(t.path), t.lines[i], quote(t.names[n]))
		cells = append(cells, cell{text: text, where: where})
	}
	return cells
}

// texts returns the texts of a column.
func (t *table) texts(n int) (texts []string) {
	for _, row := range t.rows {
		text := ""
		if n < len(row) {
			text = row[n]
		}
		texts = append(texts, text)
	}
	return texts
}

// isNumeric reports whether a column has numbers, and nothing else but gaps.
func (t *table) isNumeric(n int) (some bool) {
	texts := t.texts(n)
	decimalComma := usesDecimalComma(texts, t.comma)
	for _, text := range texts {
		if _, ok := parseNumber(text, decimalComma); ok {
			some = true
		} else if !isGap(text) {
			return false
		}
	}
	return some
}
