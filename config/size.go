package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes, written as a whole number and a unit: 16KiB.
type Size int64

// Units of a Size.
const (
	Byte Size = 1
	KiB       = 1 << 10 * Byte
	MiB       = 1 << 10 * KiB
	GiB       = 1 << 10 * MiB
)

// units has B last, because every unit ends in B and parseSize takes the first match.
var units = []struct {
	name string
	size Size
}{
	{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"B", Byte},
}

// parseSize parses the format of String.
func parseSize(text string) (Size, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			return 0, fmt.Errorf("size %q: %w", text, err)
		}
		if n > uint64(1<<63-1)/uint64(u.size) {
			return 0, fmt.Errorf("size %q: over 8 EiB", text)
		}
		return Size(n) * u.size, nil
	}
	return 0, fmt.Errorf("size %q: no unit", text)
}

// String formats the size in the largest unit that leaves no remainder.
func (s Size) String() string {
	for _, u := range units {
		if s != 0 && s%u.size == 0 {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}
	return "0B"
}
