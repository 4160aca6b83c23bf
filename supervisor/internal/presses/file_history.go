package presses

import (
	"fmt"
	"strings"

	"mews/protocol"
)

// FileHistoryPrefix is the beginning of the presses of buttons about earlier versions of files.
const FileHistoryPrefix = "fh:"

// FileHistoryPress is the press of a button about an earlier version.
type FileHistoryPress struct {
	Action        string
	First, Second int64 // the meaning depends on the action
	// Nonce is the nonce of the point Second; "" means that Second is no point, or that any
	// history's point will do.
	Nonce protocol.PointNonce
}

// String returns the press with its prefix.
func (p FileHistoryPress) String() string {
	text := fmt.Sprint(FileHistoryPrefix, p.Action, " ", p.First, " ", p.Second)
	if p.Nonce != "" {
		text += " " + string(p.Nonce)
	}
	return text
}

// ParseFileHistoryPress reads a press without its prefix. The press may be forged, so the numbers
// must be checked.
func ParseFileHistoryPress(press string) (p FileHistoryPress, ok bool) {
	numbers, nonce := press, ""
	if words := strings.Fields(press); len(words) == 4 {
		numbers, nonce = strings.Join(words[:3], " "), words[3]
	}
	n, err := fmt.Sscanf(numbers, "%s %d %d", &p.Action, &p.First, &p.Second)
	p.Nonce = protocol.PointNonce(nonce)
	return p, err == nil && n == 3 && p.First >= 0 && p.Second >= 0 && p.Nonce.IsValid()
}
