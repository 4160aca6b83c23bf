package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// sandboxExec is macOS's own; another of that name in PATH is not what is meant.
const sandboxExec = "/usr/bin/sandbox-exec"

// Command is a plan's worker, not started yet: behind what macOS has of walls, or in the tier off behind none, in its home,
// with an environment of nothing else. The caller gives it its descriptors. A folder that is not there is an error. Folders
// are looked up by their paths: a person who can change what those lead to is not kept from what it leads to.
func (p Plan) Command() (*exec.Cmd, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.UID >= 0 && p.UID != os.Getuid() || os.Getuid() == 0 {
		return nil, fmt.Errorf("become uid %d: on macOS workers have the account of their service, which is not root's", p.UID)
	}
	if p.Tier != TierSeatbelt && p.Tier != TierOff {
		return nil, fmt.Errorf("build the walls %q: %w", p.Tier, errNotHere)
	}
	resolved, err := p.resolved()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(resolved.Worker)
	if p.Tier == TierSeatbelt {
		if err := os.Mkdir(filepath.Join(resolved.Home.path(), homeTmp), 0o700); err != nil && !os.IsExist(err) {
			return nil, err
		}
		cmd = exec.Command(sandboxExec, "-p", seatbelt(resolved), resolved.Worker)
	}
	cmd.Dir, cmd.Env = resolved.Home.path(), environment(resolved)
	return cmd, nil
}

// resolved is the plan with no link left in its paths, because rules are about what links lead to.
func (p Plan) resolved() (Plan, error) {
	binds := append([]Bind{p.Home}, p.Binds...)
	for i, b := range binds {
		path, err := filepath.EvalSymlinks(b.path())
		if err != nil {
			return p, fmt.Errorf("find %s: %w", b.path(), err)
		}
		binds[i].Root, binds[i].Path = path, ""
	}
	worker, err := filepath.EvalSymlinks(p.Worker)
	if err != nil {
		return p, fmt.Errorf("find the worker: %w", err)
	}
	p.Home, p.Binds, p.Worker = binds[0], binds[1:], worker
	return p, nil
}
