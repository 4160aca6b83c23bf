package monitor

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxSeries is the most lines with a value in an answer to /metrics.
const maxSeries = 200

// ContentType is the content type of the text format (Prometheus 0.0.4).
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Metric is a row of the table of figures.
type Metric struct {
	Name    string
	Kind    string // gauge or counter
	Label   string // name of the figure's label; "" means none
	Help    string
	samples func(f Figures) []sample
}

// sample is one value of a metric. label is the value of the metric's label.
type sample struct {
	label string
	value float64
}

// one returns a single value without a label.
func one[N int | int64 | float64](value N) []sample { return []sample{{"", float64(value)}} }

// seconds returns a time as seconds since 1970, or no value for the zero time.
func seconds(t time.Time) []sample {
	if t.IsZero() {
		return nil
	}
	return one(float64(t.UnixMilli()) / 1000)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Metrics returns the table of all figures, in the order of the answer.
func Metrics() []Metric {
	return slices.Concat(serviceMetrics, telegramMetrics, messageMetrics, workerMetrics, machineMetrics, peopleMetrics)
}

// Write writes figures in the text format of Prometheus.
func Write(f Figures) []byte {
	var b []byte
	left := maxSeries
	for _, m := range Metrics() {
		values := m.samples(f)
		values = values[:min(left, len(values))]
		if left -= len(values); len(values) == 0 {
			continue
		}
		b = append(b, "# HELP "+m.Name+" "+m.Help+"\n# TYPE "+m.Name+" "+m.Kind+"\n"...)
		for _, s := range values {
			b = append(b, m.Name...)
			if m.Label != "" {
				b = append(b, "{"+m.Label+`="`+labelEscapes.Replace(s.label)+`"}`...)
			}
			b = append(strconv.AppendFloat(append(b, ' '), s.value, 'f', -1, 64), '\n')
		}
	}
	return b
}

// labelEscapes escapes the value of a label.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// counts returns the values of a map, sorted by key.
func counts[N int | bool](values map[string]N, number func(N) float64) (list []sample) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, sample{key, number(values[key])})
	}
	return list
}

// each returns a value for each element of a list that has one.
func each[E any](list []E, value func(E) (label string, samples []sample)) (all []sample) {
	for _, e := range list {
		label, values := value(e)
		for _, v := range values {
			all = append(all, sample{label, v.value})
		}
	}
	return all
}
