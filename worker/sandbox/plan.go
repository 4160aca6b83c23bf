package sandbox

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A plan travels to stage one as its environment, one variable for each value. That needs no file, no pipe and no parser
// that a person's data reaches, and execve(2) drops it.
const planPrefix = "MEWS_PLAN_"

// field is one value of a plan.
type field struct {
	name string
	get  func(*Plan) string
	set  func(*Plan, string) error
}

// fields are all values but the home and the binds.
var fields = []field{
	text("TIER", func(p *Plan) *Tier { return &p.Tier }),
	text("PROFILE", func(p *Plan) *Profile { return &p.Profile }),
	text("WORKER", func(p *Plan) *string { return &p.Worker }),
	number("MEMORY", func(p *Plan) *int64 { return &p.Limits.Memory }),
	number("TMP", func(p *Plan) *int64 { return &p.Limits.Tmp }),
	number("FILE", func(p *Plan) *int64 { return &p.Limits.File }),
	number("PIDS", func(p *Plan) *int { return &p.Limits.PIDs }),
	flag("SHARED", func(p *Plan) *bool { return &p.Limits.Shared }),
	number("UID", func(p *Plan) *int { return &p.UID }),
	number("GID", func(p *Plan) *int { return &p.GID }),
	flag("PROBE", func(p *Plan) *bool { return &p.Probe }),
}

func text[T ~string](name string, of func(*Plan) *T) field {
	return field{name, func(p *Plan) string { return string(*of(p)) },
		func(p *Plan, v string) error { *of(p) = T(v); return nil }}
}

func number[T int | int64](name string, of func(*Plan) *T) field {
	return field{name, func(p *Plan) string { return strconv.FormatInt(int64(*of(p)), 10) },
		func(p *Plan, v string) error {
			n, err := strconv.ParseInt(v, 10, strconv.IntSize)
			*of(p) = T(n)
			return err
		}}
}

func flag(name string, of func(*Plan) *bool) field {
	return field{name, func(p *Plan) string { return strconv.FormatBool(*of(p)) },
		func(p *Plan, v string) (err error) { *of(p), err = strconv.ParseBool(v); return err }}
}

// Environ is the plan as stage one's environment.
func (p Plan) Environ() []string {
	var env []string
	for _, f := range fields {
		env = append(env, planPrefix+f.name+"="+f.get(&p))
	}
	env = append(env, planPrefix+"HOME="+p.Home.encode())
	for i, b := range p.Binds {
		env = append(env, fmt.Sprintf("%sBIND%d=%s", planPrefix, i, b.encode()))
	}
	return env
}

// readPlan is the reverse of Environ. Nothing may be missing and nothing left over.
func readPlan(environ []string) (Plan, error) {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if _, twice := values[name]; twice || !strings.HasPrefix(name, planPrefix) {
			return Plan{}, fmt.Errorf("read the plan: %q is not of a plan, or is there twice", name)
		}
		values[name] = value
	}
	var p Plan
	take := func(name string, set func(string) error) error {
		value, ok := values[planPrefix+name]
		if !ok {
			return fmt.Errorf("read the plan: %s is missing", name)
		}
		delete(values, planPrefix+name)
		if err := set(value); err != nil {
			return fmt.Errorf("read the plan: %s: %w", name, err)
		}
		return nil
	}
	for _, f := range fields {
		if err := take(f.name, func(v string) error { return f.set(&p, v) }); err != nil {
			return p, err
		}
	}
	if err := take("HOME", p.Home.decode); err != nil {
		return p, err
	}
	for i := 0; len(values) > 0; i++ {
		var b Bind
		if err := take(fmt.Sprint("BIND", i), b.decode); err != nil {
			return p, err
		}
		p.Binds = append(p.Binds, b)
	}
	return p, p.check()
}

// encode is the bind as one line of words.
func (b Bind) encode() string {
	return fmt.Sprintf("%q %q %q %d %d %t", b.Name, b.Root, b.Path, b.Device, b.Inode, b.Writable)
}

func (b *Bind) decode(v string) error {
	_, err := fmt.Sscanf(v, "%q %q %q %d %d %t", &b.Name, &b.Root, &b.Path, &b.Device, &b.Inode, &b.Writable)
	if err == nil && b.encode() != v {
		err = errors.New("there is more after the last value")
	}
	return err
}
