package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// Stage one gets its plan as environment variables. That needs no file, no pipe, and no parser that
// a user's data reaches. The next execve(2) drops the plan.
const (
	planPrefix = "MEWS_PLAN_"
	planFormat = "%q %q %q %d %d %d %d %t %d %d %t" // format of everything except the folders
	bindFormat = "%q %q %q %d %d %t %d"
)

// Environ returns the plan as stage one's environment.
func (p Plan) Environ() []string {
	env := []string{planPrefix + "VALUES=" + p.encode(), planPrefix + "HOME=" + p.Home.encode(),
		planPrefix + "HISTORY=" + p.History.encode()}
	for i, b := range p.Binds {
		env = append(env, fmt.Sprintf("%sBIND%d=%s", planPrefix, i, b.encode()))
	}
	return env
}

// readPlan is the reverse of Environ. It refuses missing and additional variables.
func readPlan(environ []string) (p Plan, err error) {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if _, twice := values[name]; twice || !strings.HasPrefix(name, planPrefix) {
			return p, fmt.Errorf("read the plan: %q is not of a plan, or is there twice", name)
		}
		values[name] = value
	}
	take := func(name string, decode func(string) error) {
		value, ok := values[planPrefix+name]
		delete(values, planPrefix+name)
		switch {
		case err != nil:
		case !ok:
			err = fmt.Errorf("read the plan: %s is missing", name)
		default:
			if bad := decode(value); bad != nil {
				err = fmt.Errorf("read the plan: %s: %w", name, bad)
			}
		}
	}
	take("VALUES", p.decode)
	take("HOME", p.Home.decode)
	take("HISTORY", p.History.decode)
	for i := 0; len(values) > 0 && err == nil; i++ {
		var b BindMount
		take(fmt.Sprint("BIND", i), b.decode)
		p.Binds = append(p.Binds, b)
	}
	if err == nil {
		err = p.check()
	}
	return p, err
}

func (p Plan) encode() string {
	return fmt.Sprintf(planFormat, p.Tier, p.Profile, p.Worker, p.Limits.Memory, p.Limits.Tmp, p.Limits.File, p.Limits.PIDs,
		p.Limits.Shared, p.UID, p.GID, p.Probe)
}

func (p *Plan) decode(v string) error {
	return scan(v, planFormat, p, &p.Tier, &p.Profile, &p.Worker, &p.Limits.Memory, &p.Limits.Tmp, &p.Limits.File, &p.Limits.PIDs,
		&p.Limits.Shared, &p.UID, &p.GID, &p.Probe)
}

func (b BindMount) encode() string {
	return fmt.Sprintf(bindFormat, b.Name, b.Root, b.Path, b.Device, b.Inode, b.Writable, b.Mount)
}

func (b *BindMount) decode(v string) error {
	return scan(v, bindFormat, b, &b.Name, &b.Root, &b.Path, &b.Device, &b.Inode, &b.Writable, &b.Mount)
}

// scan reads v into the fields of whole. It refuses a v that differs from whole's own encoding.
func scan(v, format string, whole interface{ encode() string }, fields ...any) error {
	_, err := fmt.Sscanf(v, format, fields...)
	if err == nil && whole.encode() != v {
		err = errors.New("it is not as it would be written")
	}
	return err
}
