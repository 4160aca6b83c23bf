package telegram

import (
	"net/http"
	"sync/atomic"
	"time"
)

// clock compares this machine's clock with the dates of Telegram's answers. The zero value is
// ready.
type clock struct{ offset atomic.Pointer[time.Duration] }

// note records the date of an answer that came at a time. A date has whole seconds, so half a
// second is added. An answer without a date changes nothing.
func (c *clock) note(date string, came time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	offset := came.Sub(at.Add(time.Second / 2))
	c.offset.Store(&offset)
}

// ClockOffset returns how much this machine's clock is ahead of Telegram's. It goes by the last
// answer, and is exact to about a second. known is false before the first answer with a date.
func (c *Client) ClockOffset() (offset time.Duration, known bool) {
	if last := c.clock.offset.Load(); last != nil {
		return *last, true
	}
	return 0, false
}
