package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// DetectOptions is which tiers a spawner may use.
type DetectOptions struct {
	Tier     Tier   // what is asked for; "" is the best that there is here
	MinTier  Tier   // what is too little
	UID, GID int    // the account to try with, which is this process's
	Dir      string // a folder of that account, to be the home of the trial
}

var errNotHere = errors.New("macOS has no such walls; what it has is seatbelt, which is for people who work on Mews")

// sentences say what a tier means.
var sentences = map[Tier]string{
	TierSeatbelt: "Workers read and write their person's files alone and reach no network, but see other processes, nothing " +
		"limits what they use, and what they leave running in a session of its own is not ended. " +
		"This is macOS, and for people who work on Mews.",
	TierOff: "There are no walls around workers: a worker, and any program that it runs, can do whatever its account can.",
}

// Detect tries the tier that is wished for, by running a program behind its walls. It gives the one that holds, and for
// people a sentence about it. One that is not enough is an error.
func Detect(w DetectOptions) (Tier, string, error) {
	t := w.Tier
	if t == "" {
		t = TierSeatbelt
	}
	err := fmt.Errorf("it is less than sandbox_min; sandbox_min: %s allows it", t)
	if t.AtLeast(w.MinTier) {
		err = tryTier(w, t)
	}
	if err != nil {
		return TierOff, "", fmt.Errorf("there are no walls that are good enough (%q or better is asked for):\n%s: %w", w.MinTier, t, err)
	}
	return t, sentences[t], nil
}

// tryTier runs a program of the system's behind the walls of a tier.
func tryTier(w DetectOptions, t Tier) error {
	dir, name := filepath.Split(w.Dir)
	p := Plan{Tier: t, Profile: ProfileWorker, Worker: "/usr/bin/true", Home: Bind{Root: filepath.Clean(dir), Path: name},
		UID: w.UID, GID: w.GID}
	cmd, err := p.Command()
	if err != nil || t == TierOff {
		return err
	}
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", sandboxExec, err, bytes.TrimSpace(said))
	}
	return nil
}

// Open finds a folder beneath root, and says which it is. No link on the way leads out of root.
func Open(root, path string) (Bind, os.FileInfo, error) {
	b := Bind{Root: root, Path: path}
	within, err := os.OpenRoot(root)
	if err != nil {
		return b, nil, err
	}
	defer within.Close()
	info, err := within.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	if err != nil {
		return b, nil, fmt.Errorf("%s: %w", b.path(), err)
	}
	return b, info, nil
}
