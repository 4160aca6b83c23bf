package health_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/health"
)

// TestWatchdog_SecondMissedPing_EndsService: after the first missed ping, the log has all
// goroutines. A loop that moves again resets the count.
func TestWatchdog_SecondMissedPing_EndsService(t *testing.T) {
	for name, c := range map[string]struct {
		missed []bool // whether the loop misses each ping; later pings are answered
		ended  bool
	}{
		"never stuck": {nil, false},
		"stuck once":  {[]bool{true}, false},
		"moves again": {[]bool{true, false, true, false}, false},
		"stuck twice": {[]bool{false, true, true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pings := 0
				m := health.New(health.Loop{Name: "outbox", Ping: func(ctx context.Context) error {
					if pings++; pings > len(c.missed) || !c.missed[pings-1] {
						return nil
					}
					<-ctx.Done()
					return context.Cause(ctx)
				}})
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				var log bytes.Buffer
				var stuck []string
				w := health.Watchdog{Monitor: m, Log: hclog.New(&hclog.LoggerOptions{Output: &log}),
					End: func(names []string) { stuck = names }}
				if err := w.Run(ctx); err != nil {
					t.Error(err)
				}
				if ended := slices.Equal(stuck, []string{"outbox"}); ended != c.ended {
					t.Errorf("ended: %v, because of %q", ended, stuck)
				}
				dumped := strings.Contains(log.String(), "health_test.TestWatchdog_SecondMissedPing_EndsService")
				if dumped != slices.Contains(c.missed, true) {
					t.Errorf("goroutines in the log: %v", dumped)
				}
			})
		})
	}
}
