package install

import (
	"context"
	"fmt"
	"strings"
)

// wantsFolder has a link for each unit that starts with the machine.
const wantsFolder = "/etc/systemd/system/multi-user.target.wants/"

// serviceSteps enable and start the service. An image's service is only enabled.
func (in *Installer) serviceSteps() []step {
	steps := []step{in.enableStep(in.layout.unit()+".service", "enable"),
		in.enableStep(in.layout.updateUnit(), "enable updates", "--now")}
	if in.machine.image {
		return steps
	}
	return append(steps, in.serviceStep())
}

// enableStep lets a unit start with the machine; live are more arguments where it runs.
func (in *Installer) enableStep(unit, name string, live ...string) step {
	return step{name: name, about: fmt.Sprintf(textEnable, unit),
		state: func() (state, error) { return state{done: in.machine.exists(wantsFolder + unit)}, nil },
		do: func(ctx context.Context) error {
			args := append([]string{"enable", "--quiet"}, live...)
			if in.machine.image {
				args = []string{"--root", in.machine.root, "enable", "--quiet"}
			}
			return in.machine.change(ctx, "systemctl", append(args, unit)...)
		}}
}

// serviceStep starts the service, or starts it again if something has changed since its start.
func (in *Installer) serviceStep() step {
	return step{name: "service", about: fmt.Sprintf(textStart, in.layout.unit()),
		state: func() (state, error) {
			return state{done: !in.record.Restart && in.isActive(context.Background())}, nil
		},
		do: func(ctx context.Context) error {
			var commands [][]string
			if in.facts.AppArmor {
				commands = append(commands, []string{"apparmor_parser", "--replace", in.machine.path(appArmorFile)})
			}
			commands = append(commands, []string{"systemctl", "daemon-reload"},
				[]string{"systemctl", "restart", in.layout.unit()})
			for _, c := range commands {
				if err := in.machine.change(ctx, c[0], c[1:]...); err != nil {
					return err
				}
			}
			in.record.Restart = false
			return in.save()
		}}
}

func (in *Installer) isActive(ctx context.Context) bool {
	out, err := in.machine.command(ctx, "systemctl", "is-active", in.layout.unit())
	return err == nil && strings.TrimSpace(out) == "active"
}

func trimLine(text string) string { return strings.TrimRight(text, "\r\n") }

func isOneLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}
