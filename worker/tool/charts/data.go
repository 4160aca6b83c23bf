package charts

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"mews/protocol/amount"
	"mews/worker"
)

// column is a series before its texts are read. X and Y have the same length.
type column struct {
	name string
	x, y []cell
	// decimalComma means that "1,234" is a bit more than one
	decimalComma bool
}

// cell is a value of a series as text, and where it stands, for errors.
type cell struct {
	text  string
	where string
}

// inlineColumns reads the series of a call.
func inlineColumns(series []inlineSeries) (columns []column, err error) {
	for i, s := range series {
		c := column{name: cleanText(s.Name)}
		shown := fmt.Sprintf("series %d", i+1)
		if c.name != "" {
			shown += fmt.Sprintf(" (%s)", c.name)
		}
		if len(s.X) > 0 && len(s.X) != len(s.Y) {
			return nil, fmt.Errorf("%s has %d x and %d y; give as many of each", shown, len(s.X), len(s.Y))
		}
		for n, y := range s.Y {
			at := fmt.Sprintf("%s, value %d", shown, n+1)
			x := json.RawMessage(fmt.Sprint(n + 1))
			if len(s.X) > 0 {
				x = s.X[n]
			}
			values := [2]cell{}
			for k, raw := range []json.RawMessage{x, y} {
				if values[k], err = inlineCell(raw, at); err != nil {
					return nil, err
				}
			}
			c.x, c.y = append(c.x, values[0]), append(c.y, values[1])
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// inlineCell returns the text of a JSON number, text or null.
func inlineCell(raw json.RawMessage, where string) (c cell, err error) {
	c = cell{text: string(raw), where: where}
	switch {
	case c.text == "null":
		c.text = ""
	case strings.HasPrefix(c.text, `"`):
		err = json.Unmarshal(raw, &c.text)
	case strings.HasPrefix(c.text, "{"), strings.HasPrefix(c.text, "["), c.text == "true", c.text == "false":
		err = fmt.Errorf("%s: want a number, a text or null", where)
	}
	return c, err
}

// axis is the meaning of a chart's x values.
type axis string

const (
	axisNumber   axis = "number"
	axisTime     axis = "time"     // x is in seconds since 1970, of the wall clock
	axisCategory axis = "category" // x is the index of a text in categories
)

// point is a value of a series.
type point struct{ x, y float64 }

// series is a row of points. In a chart with numbers or times it is sorted by x. A gap is a point
// whose y is NaN.
type series struct {
	name   string
	points []point
}

// chart is a chart with its data.
type chart struct {
	kind                  string
	title, xLabel, yLabel string
	axis                  axis
	categories            []string
	dated                 bool // the times are dates, without a time of day
	series                []series
	values                bounds // of y
	span                  bounds // of x
	whole                 bool   // all y are whole numbers
	wholeX                bool   // all x are whole numbers
}

// bounds are the least and the largest of some numbers.
type bounds struct{ low, high float64 }

func (b bounds) with(v float64) bounds { return bounds{math.Min(b.low, v), math.Max(b.high, v)} }

func noBounds() bounds { return bounds{math.Inf(1), math.Inf(-1)} }

// points returns the number of values.
func (c *chart) points() (n int) {
	for _, s := range c.series {
		for _, p := range s.points {
			if !math.IsNaN(p.y) {
				n++
			}
		}
	}
	return n
}

// read reads the columns as the chart's series.
func (c *chart) read(columns []column, zone *time.Location) error {
	total := 0
	for _, column := range columns {
		total += len(column.y)
	}
	switch {
	case len(columns) > maxSeries:
		return fmt.Errorf("%d series, and at most %d can be told apart in a chart; choose some", len(columns),
			maxSeries)
	case total > maxPoints:
		return fmt.Errorf("%s values, and at most %s fit into a chart; take fewer, or averages of them",
			amount.FormatNumber(int64(total)), amount.FormatNumber(maxPoints))
	case total == 0:
		return errors.New("there are no values; each series needs y")
	}
	xs, err := c.readX(columns, zone)
	if err != nil {
		return err
	}
	c.values, c.span, c.whole, c.wholeX = noBounds(), noBounds(), true, true
	for i, column := range columns {
		s := series{name: column.name}
		if s.name == "" && len(columns) > 1 {
			s.name = fmt.Sprintf("series %d", i+1)
		}
		for n, cell := range column.y {
			y, err := readY(cell, column.decimalComma)
			if err != nil {
				return err
			}
			if math.IsNaN(xs[i][n]) {
				continue // a value without an x stands nowhere
			}
			s.points = append(s.points, point{xs[i][n], y})
			c.span, c.wholeX = c.span.with(xs[i][n]), c.wholeX && xs[i][n] == math.Trunc(xs[i][n])
			if !math.IsNaN(y) {
				c.values, c.whole = c.values.with(y), c.whole && y == math.Trunc(y)
			}
		}
		if c.axis != axisCategory || c.kind == kindBar {
			slices.SortStableFunc(s.points, func(a, b point) int { return compareFloats(a.x, b.x) })
		}
		c.series = append(c.series, s)
	}
	if c.values.low > c.values.high {
		return errors.New("there are no values: all of them are gaps")
	}
	if c.kind == kindBar {
		return c.useCategories()
	}
	return nil
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// readY reads a value. A gap is NaN.
func readY(c cell, decimalComma bool) (float64, error) {
	if isGap(c.text) {
		return math.NaN(), nil
	}
	y, ok := parseNumber(c.text, decimalComma)
	switch {
	case !ok:
		return 0, fmt.Errorf("%s: %s is no number; leave a gap empty, or null", c.where, quote(c.text))
	case math.Abs(y) > maxValue:
		return 0, fmt.Errorf("%s: %s is too large for a chart", c.where, quote(c.text))
	}
	return y, nil
}

// readX reads the x values of all columns: as numbers if all are numbers, as times if all are
// dates, otherwise as texts. Bars of numbers or times stand side by side like texts.
func (c *chart) readX(columns []column, zone *time.Location) (xs [][]float64, err error) {
	if xs, err = c.readTimes(columns, zone); err != nil {
		return nil, err
	}
	if xs == nil {
		xs = c.readNumbers(columns)
	}
	if xs == nil {
		c.axis, xs = axisCategory, c.readCategories(columns)
	}
	return xs, nil
}

// readNumbers returns nil unless all x are numbers.
func (c *chart) readNumbers(columns []column) (xs [][]float64) {
	for _, column := range columns {
		list := make([]float64, len(column.x))
		for n, cell := range column.x {
			list[n] = math.NaN()
			if isGap(cell.text) {
				continue
			}
			x, ok := parseNumber(cell.text, column.decimalComma)
			if !ok || math.Abs(x) > maxValue {
				return nil
			}
			list[n] = x
		}
		xs = append(xs, list)
	}
	c.axis = axisNumber
	return xs
}

// readTimes returns nil unless all x are dates.
func (c *chart) readTimes(columns []column, zone *time.Location) (xs [][]float64, err error) {
	var texts []string
	for _, column := range columns {
		for _, cell := range column.x {
			if !isGap(cell.text) {
				texts = append(texts, cell.text)
			}
		}
	}
	layout, err := dateLayout(texts, zone)
	if layout == nil || err != nil {
		return nil, err
	}
	c.dated = true
	for _, column := range columns {
		list := make([]float64, len(column.x))
		for n, cell := range column.x {
			if list[n] = math.NaN(); isGap(cell.text) {
				continue
			}
			at, _ := layout(cell.text)
			list[n] = float64(at.Unix())
			c.dated = c.dated && at.Unix()%86400 == 0
		}
		xs = append(xs, list)
	}
	c.axis = axisTime
	return xs, nil
}

// readCategories numbers the texts in the order of their first use.
func (c *chart) readCategories(columns []column) (xs [][]float64) {
	index := map[string]int{}
	for _, column := range columns {
		list := make([]float64, len(column.x))
		for n, cell := range column.x {
			text := cleanText(cell.text)
			i, known := index[text]
			if !known {
				i = len(c.categories)
				index[text], c.categories = i, append(c.categories, text)
			}
			list[n] = float64(i)
		}
		xs = append(xs, list)
	}
	return xs
}

// describe tells the model what the chart shows.
func (c *chart) describe() string {
	y := tickFormat(0, math.Max(math.Abs(c.values.low), math.Abs(c.values.high)))
	text := fmt.Sprintf("A %s chart of %s in %s; y from %s to %s", c.kind, amount.Plural(c.points(), "point", "points"),
		amount.Plural(len(c.series), "series", "series"), y(c.values.low), y(c.values.high))
	switch c.axis {
	case axisTime:
		layout := "2006-01-02 15:04"
		if c.dated {
			layout = time.DateOnly
		}
		text += fmt.Sprintf(", x from %s to %s", timeAt(c.span.low).Format(layout), timeAt(c.span.high).Format(layout))
	case axisNumber:
		x := tickFormat(0, math.Max(math.Abs(c.span.low), math.Abs(c.span.high)))
		text += fmt.Sprintf(", x from %s to %s", x(c.span.low), x(c.span.high))
	case axisCategory:
		text += ", x " + amount.Plural(len(c.categories), "text", "texts")
	}
	return text + "."
}

// cleanText returns a text on one line, of at most maxText characters.
func cleanText(text string) string {
	text = norm.NFC.String(strings.ToValidUTF8(text, "�"))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1 // marks without a shape, such as a zero-width joiner
		}
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	words := []rune(strings.Join(strings.Fields(text), " "))
	return string(words[:min(len(words), maxText)])
}

// quote returns the beginning of a text in quotes.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		text = worker.TrimPartialRune(text[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
