package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// goal is the highest or, if atLeast is set, the lowest allowed value of a figure.
type goal struct {
	figure
	atLeast bool
	limit   float64
	plus    figure // figure that is added to the limit; the zero value adds nothing
}

// readGoals reads a file of goals. A line has a benchmark, a unit, and the limit after <= or >=. It
// may end with + and another benchmark and unit: the other figure of the same run is then added to
// the limit. A line that begins with # is a comment.
func readGoals(r io.Reader) (goals []goal, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		g, err := readGoal(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		goals = append(goals, g)
	}
	return goals, lines.Err()
}

func readGoal(words []string) (g goal, err error) {
	if len(words) != 4 && len(words) != 7 {
		return g, fmt.Errorf("got %d words, want BENCHMARK UNIT <= LIMIT [+ BENCHMARK UNIT]", len(words))
	}
	g.figure = figure{words[0], words[1]}
	if words[2] != "<=" && words[2] != ">=" {
		return g, fmt.Errorf("got %s, want <= or >=", words[2])
	}
	g.atLeast = words[2] == ">="
	if g.limit, err = strconv.ParseFloat(words[3], 64); err != nil {
		return g, err
	}
	if len(words) == 4 {
		return g, nil
	}
	if words[4] != "+" {
		return g, fmt.Errorf("got %s, want +", words[4])
	}
	g.plus = figure{words[5], words[6]}
	return g, nil
}

// judge returns the limit for a run, and whether the run kept the limit.
func (g goal) judge(now figures) (limit, result string) {
	most := g.limit
	plus, measured := now[g.plus]
	if g.plus != (figure{}) {
		most += plus
	} else {
		measured = true
	}
	value, ok := now[g.figure]
	sign, missed := "<=", value > most
	if g.atLeast {
		sign, missed = ">=", value < most
	}
	limit = sign + " " + number(most)
	switch {
	case !ok, !measured:
		return limit, "not measured"
	case missed:
		return limit, "MISS"
	}
	return limit, "ok"
}
