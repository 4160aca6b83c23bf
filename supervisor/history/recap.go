package history

import (
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
)

// Limits of a recap: for one message in characters, and for all messages in bytes. They keep a full
// request below 40 KiB.
const (
	maxRecapLine = 500
	maxRecap     = 7 << 10
)

// FormatRecap returns messages of other conversations as material for a model. Without messages it
// returns "". If the messages exceed the limits, the oldest are left out.
func FormatRecap(lines []supervisor.RecapLine) string {
	told := ""
	for _, line := range slices.Backward(lines) {
		text := strings.TrimSpace(foreign.SanitizeText(line.Text))
		if text == "" {
			continue
		}
		if runes := []rune(text); len(runes) > maxRecapLine {
			text = string(runes[:maxRecapLine]) + "…"
		}
		who := recapThey
		if line.Role == protocol.RoleAssistant {
			who = recapYou
		}
		next := fmt.Sprintf("[%s] %s: %s\n", line.At, who, text)
		if len(next)+len(told) > maxRecap {
			break
		}
		told = next + told
	}
	if told == "" {
		return ""
	}
	fence := "========"
	for strings.Contains(told, fence) {
		fence += "="
	}
	return fmt.Sprintf(recapHead, fence, told, fence)
}
