package app

import (
	"time"

	"mews/supervisor/command"
)

// MethodUsage is what the control socket answers to a usageQuestion with a usageReport. Anybody with an account may ask
// for their own; only admins for others.
const MethodUsage = "usage"

// MaxDays is how many days `mews usage` sums at most: ten years.
const MaxDays = 3660

// UsageQuestion asks what was asked of models.
type UsageQuestion struct {
	User string `json:"user,omitempty"` // "" is everybody for an admin, else whoever asks
	Days int    `json:"days"`           // today is the last of them
}

// UsageReport is what was asked of models. What was most comes first.
type UsageReport struct {
	User   string              `json:"user,omitempty"` // "" is everybody
	From   time.Time           `json:"from"`
	Models []command.UsageLine `json:"models"`
	Users  []command.UsageLine `json:"users,omitempty"` // of everybody
}
