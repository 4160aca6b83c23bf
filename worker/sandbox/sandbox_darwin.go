package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// DetectOptions tell which tiers a spawner may use.
type DetectOptions struct {
	Tier    Tier // the requested tier; "" means the best
	MinTier Tier // the lowest tier that the spawner may use
}

// DetectTier returns the tier off and a sentence about it, if both options allow it. macOS has no
// other tier.
func DetectTier(o DetectOptions) (Tier, string, error) {
	if o.Tier != TierOff || o.MinTier != TierOff {
		return TierOff, "", errors.New(textNoWallsOnMacOS)
	}
	return TierOff, tierTexts[TierOff], nil
}

// OpenBindMount finds a folder beneath root. No link on the way leads out of root.
func OpenBindMount(root, path string) (BindMount, os.FileInfo, error) {
	b := BindMount{Root: root, Path: path}
	beneath, err := os.OpenRoot(root)
	if err != nil {
		return b, nil, err
	}
	defer beneath.Close()
	info, err := beneath.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	if err != nil {
		return b, nil, fmt.Errorf("%s: %w", b.path(), err)
	}
	return b, info, nil
}

// Command returns a plan's worker, not started yet, in its home. It has only the plan's
// environment. The caller sets its descriptors.
func (p Plan) Command() (*exec.Cmd, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.Tier != TierOff {
		return nil, fmt.Errorf("build the walls %q: macOS has none", p.Tier)
	}
	cmd := exec.Command(p.Worker)
	cmd.Dir, cmd.Env = p.Home.path(), environment(p)
	return cmd, nil
}
