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
	wants := wantsFolder + in.layout.unit() + ".service"
	enable := step{name: "enable", about: fmt.Sprintf(textEnable, in.layout.unit()),
		state: func() (state, error) { return state{done: in.machine.exists(wants)}, nil },
		do: func(ctx context.Context) error {
			args := []string{"enable", "--quiet", in.layout.unit() + ".service"}
			if in.machine.image {
				args = append([]string{"--root", in.machine.root}, args...)
			}
			return in.machine.change(ctx, "systemctl", args...)
		}}
	if in.machine.image {
		return []step{enable}
	}
	return []step{enable, in.serviceStep()}
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
