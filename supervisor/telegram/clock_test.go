package telegram

import (
	"testing"
	"time"
)

func TestClockOffset_AnswerDate_IsCompared(t *testing.T) {
	var c Client
	if _, known := c.ClockOffset(); known {
		t.Error("it is known before an answer")
	}
	came := time.Date(2026, 11, 30, 12, 5, 0, 5e8, time.UTC)
	c.clock.note("no date", came)
	if _, known := c.ClockOffset(); known {
		t.Error("it is known without a date")
	}
	c.clock.note("Mon, 30 Nov 2026 12:00:00 GMT", came)
	if offset, known := c.ClockOffset(); !known || offset != 5*time.Minute {
		t.Errorf("%v, %v", offset, known)
	}
}
