package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// TestMain runs the tests, or a role that a spawner executes.
func TestMain(m *testing.M) {
	runByName()
	roles := map[string]func() error{StageOneArgument: RunStageOne, StageZeroArgument: RunStageZero, "detect": detect,
		"filtered": callFiltered, "swap": swap, "off": tryOff,
		"startMany": startMany, "startBeside": startBeside, "startOnMain": startOnMain, "inherit": inherit}
	if len(os.Args) == 2 && roles[os.Args[1]] != nil {
		if err := roles[os.Args[1]](); err != nil {
			fmt.Fprintln(os.Stderr, "mews-spawner:", err)
			// syscall.Exit, because os.Exit waits a second with the race detector
			syscall.Exit(126)
		}
		syscall.Exit(0)
	}
	code := m.Run()
	if plainDir != "" {
		_ = os.RemoveAll(plainDir)
	}
	os.Exit(code)
}

// detect tries the tier of the environment, with this process's privilege, for the account testUID.
func detect() error {
	privilege, err := OwnPrivilege()
	if err != nil {
		return err
	}
	dir := os.Getenv("HOME")
	tier, _, err := DetectTier(DetectOptions{Tier: Tier(os.Getenv("TIER")), MinTier: TierOff, Privilege: privilege,
		UID: testUID, GID: testUID, Dir: dir})
	fmt.Println(privilege, tier)
	return err
}
