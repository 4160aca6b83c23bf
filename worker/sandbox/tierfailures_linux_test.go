package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTierFailures_SharedCause_IsPrintedOnce: two tiers fail for one reason, and the advice appears
// once.
func TestTierFailures_SharedCause_IsPrintedOnce(t *testing.T) {
	var kept tierFailures
	for _, tier := range []Tier{TierAccounts, TierNamespaces} {
		kept.add(tier, withNamespaceAdvice(fmt.Errorf("make the namespaces: %w", unix.ENOSPC)))
	}
	kept.add(TierLandlock, errors.Join(errors.New("one"), errors.New("two")))
	got := strings.Join(kept.lines(), "\n")
	want := "accounts and namespaces: user namespaces are switched off: sysctl user.max_user_namespaces=15000, or run Mews " +
		"as a service with deploy/systemd/mews.service.d/no-user-namespaces.conf (make the namespaces: no space left on device)\nlandlock: one; two"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if s := describe(TierOff, kept); strings.Contains(s, "\n") || !strings.HasSuffix(s, "one; two.") {
		t.Errorf("%q", s)
	}
}

func TestDetect_TierBelowMinimum_IsRefused(t *testing.T) {
	_, _, err := DetectTier(DetectOptions{Tier: TierLandlock, MinTier: TierAccounts, Dir: t.TempDir()})
	if err == nil || !strings.HasSuffix(err.Error(),
		`or better):`+"\n"+`sandbox "landlock" is weaker than sandbox_min "accounts"`) {
		t.Error(err)
	}
}
