// Package presses formats and parses the presses of buttons.
package presses

import (
	"strconv"
	"strings"
)

// QueuePrefix is the beginning of the presses of buttons below a list of the queue. The action and
// the inbound's id follow.
const QueuePrefix = "w:"

// InboundOfQueuePress returns the inbound of a press of a button below the queue. ok is false for
// any other press.
func InboundOfQueuePress(press string) (inbound int64, ok bool) {
	rest, ok := strings.CutPrefix(press, QueuePrefix)
	_, number, there := strings.Cut(rest, " ")
	inbound, err := strconv.ParseInt(number, 10, 64)
	return inbound, ok && there && err == nil
}
