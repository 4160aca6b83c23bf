package main

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// figure names one kind of number that a benchmark reports, such as its ns/op.
type figure struct {
	name string // path of the package below the module, and the benchmark, such as cmd/mews:TelegramTurn
	unit string
}

// figures maps each figure to the median of its values in one output of `go test -bench`.
type figures map[figure]float64

// show formats the value of a figure for the table. "-" means that the value is missing.
func (f figures) show(of figure) string {
	if value, ok := f[of]; ok {
		return number(value)
	}
	return "-"
}

func number(value float64) string {
	if value >= 1000 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// processors matches the number that go test appends to a benchmark's name.
var processors = regexp.MustCompile(`-[0-9]+$`)

// readFigures reads the output of `go test -bench`.
func readFigures(r io.Reader) (figures, error) {
	all, pkg := map[figure][]float64{}, ""
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 2 && words[0] == "pkg:" {
			pkg = strings.TrimPrefix(words[1], "mews/")
		}
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := pkg + ":" + processors.ReplaceAllString(strings.TrimPrefix(words[0], "Benchmark"), "")
		for i := 2; i+1 < len(words); i += 2 { // words[0] and words[1] are the benchmark's name and the number of runs
			value, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				break // the words after the figures are a program's own output
			}
			all[figure{name, words[i+1]}] = append(all[figure{name, words[i+1]}], value)
		}
	}
	medians := figures{}
	for f, values := range all {
		medians[f] = median(values)
	}
	return medians, lines.Err()
}

func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
