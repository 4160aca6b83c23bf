package command

import (
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/usage"
)

const (
	chartDays = 30 // number of days in a chart
	barWidth  = 30 // length of the longest bar in a text chart, in characters
)

// chartUnit is the unit of a chart of daily usage.
type chartUnit struct {
	title string
	of    func(usage.Line) int64
	write func(int64) string
}

// chartUnitOf returns the unit of a chart: cost, or tokens if all calls were free.
func chartUnitOf(days []usage.Line) chartUnit {
	if usage.Total(days).Cost > 0 {
		return chartUnit{textDollarsADay, func(l usage.Line) int64 { return l.Cost }, money.FormatDollars}
	}
	return chartUnit{textTokensADay, func(l usage.Line) int64 { return l.Input + l.Output }, amount.FormatNumber}
}

// withChart adds a chart of the days to a report. The chart is a picture if the channel shows
// files, otherwise a text. If drawing the picture fails, the report has no chart.
func (c *Commands) withChart(to supervisor.Conversation, s usageReport, days []usage.Line) supervisor.Delivery {
	d := supervisor.Delivery{Text: s.text()}
	m := chartUnitOf(days)
	if m.of(usage.Total(days)) == 0 { // without successful calls there is nothing to draw
		return d
	}
	if !to.Channel.Capabilities().Files {
		d.Text += "\n\n" + m.textLines(days)
		return d
	}
	png, err := m.picture(days)
	if err == nil {
		var file supervisor.File
		if file, err = c.o.Pictures.StorePicture("usage.png", png); err == nil {
			d.Files = append(d.Files, file)
		}
	}
	if err != nil {
		c.o.Log.Warn("draw a chart of the usage", "user", to.User, "error", err)
	}
	return d
}

func (m chartUnit) picture(days []usage.Line) ([]byte, error) {
	var bars []chartBar
	for _, day := range days {
		bars = append(bars, chartBar{Label: day.Name[min(5, len(day.Name)):], Value: float64(m.of(day))})
	}
	return drawBars(m.title, bars, func(v float64) string { return m.write(int64(v)) })
}

// textLines draws the chart as text. It leaves out days without usage.
func (m chartUnit) textLines(days []usage.Line) string {
	most := int64(1)
	for _, day := range days {
		most = max(most, m.of(day))
	}
	var b strings.Builder
	fmt.Fprintf(&b, textChart, chartDays, m.title)
	for _, day := range days {
		if n := m.of(day); n > 0 {
			fmt.Fprintf(&b, "%s %s %s\n", day.Name, strings.Repeat("█", max(1, int(float64(n)/float64(most)*barWidth))), m.write(n))
		}
	}
	b.WriteString("```")
	return b.String()
}
