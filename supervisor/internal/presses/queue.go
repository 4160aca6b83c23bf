// Package presses writes and reads the presses of buttons.
package presses

import (
	"strconv"
	"strings"
)

// QueuePrefix begins the presses of the buttons below a list of what waits. What is to be done
// stands behind it, and the inbound's id.
const QueuePrefix = "w:"

// Queued is the inbound that such a press is about.
func Queued(press string) (inbound int64, ok bool) {
	rest, ok := strings.CutPrefix(press, QueuePrefix)
	_, number, there := strings.Cut(rest, " ")
	inbound, err := strconv.ParseInt(number, 10, 64)
	return inbound, ok && there && err == nil
}
