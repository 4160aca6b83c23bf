package placement

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/protocol/spawnwire"
	"mews/supervisor/internal/rare"
	"mews/supervisor/pool"
)

// limitNotices returns a throttle for notices about limits.
func limitNotices() *rare.Throttle { return &rare.Throttle{Every: quiet} }

// AllowLimitNotices allows new notices about limits, because a turn of the user begins.
func (c *WorkerLocations) AllowLimitNotices(user string) {
	c.notices.ForgetKeys(func(what string) bool { return strings.HasPrefix(what, user+" ") })
}

// tellTimeout is how long sending a notice may take.
const tellTimeout = time.Minute

// quiet is the pause between two notices about the same limit in one turn.
const quiet = 10 * time.Minute

// NotifyLimitHit tells a user that a limit was hit, at most once within quiet. It does not block.
func (c *WorkerLocations) NotifyLimitHit(user string, hit spawnwire.LimitHitMessage) {
	if !c.notices.ShouldReport(user+" "+hit.Kind, time.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	go func() { // a goroutine, because the caller must not wait; tellTimeout bounds its time
		defer cancel()
		c.Tell(ctx, user, limitText(hit))
	}()
}

// limitText says which limit was hit, and what helps.
func limitText(hit spawnwire.LimitHitMessage) string {
	switch hit.Kind {
	case "memory":
		return fmt.Sprintf(textMemory, amount.BinarySize(int64(hit.Limit)))
	case pool.LimitHomeBytes:
		return fmt.Sprintf(textDisk, amount.BinarySize(int64(hit.Limit)))
	case pool.LimitFreeSpace:
		return textDiskFull
	case pool.LimitMachineShortage:
		return textShortage
	}
	if text := limitTexts[hit.Kind]; text != "" {
		return fmt.Sprintf(text, hit.Limit)
	}
	return fmt.Sprintf(textOtherLimit, hit.Kind)
}
