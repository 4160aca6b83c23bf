package cgroup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// number reads a kernel's file: the one number in it or, with a key, the number of the line "key number" (cgroup-v2,
// "Flat keyed"); 0 if there is no such line. A number that an int64 cannot hold is the largest that it can.
func number(text, key string) (int64, error) {
	if key == "" {
		return parseNumber(strings.TrimSuffix(text, "\n"))
	}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && name == key {
			return parseNumber(value)
		}
	}
	return 0, nil
}

func parseNumber(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("number %.40q: %w", text, err)
	}
	return int64(min(n, math.MaxInt64)), nil
}
