package supervisor

import (
	"strconv"
	"strings"
	"time"
)

// AnewFor is how long after its answer an edit of a message is asked about.
const AnewFor = 10 * time.Minute

// anewPrefix begins the press of a button that has an edited message be answered anew. Its
// inbound's number stands behind it.
const anewPrefix = "e:"

// AnewButton is the button that has an inbound be answered anew.
func AnewButton(inbound int64) Button {
	return Button{Text: TextAnswerAnew, Press: anewPrefix + strconv.FormatInt(inbound, 10)}
}

// AnewPressed is the inbound that a press is to have answered anew. Anybody may have made it up.
func AnewPressed(press string) (inbound int64, ok bool) {
	id, ok := strings.CutPrefix(press, anewPrefix)
	inbound, err := strconv.ParseInt(id, 10, 64)
	return inbound, ok && err == nil && inbound > 0
}
