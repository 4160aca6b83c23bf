package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

var doctorRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "doctor", AdminsOnly: true,
		Help: "look for problems of Mews and this machine, and say how to fix them"},
		group: feature.HelpGroupAdmin, run: textAnswer(doctorText), private: feature.AlwaysPrivateAnswer},
}

// finding is a line of the doctor's report, as `mews doctor --json` prints it.
type finding struct {
	Name string `json:"name"`
	Mark string `json:"mark"` // ok, WARN or BAD
	Text string `json:"text"`
}

// doctorText lists the doctor's findings about problems, and counts the others.
func doctorText(ctx context.Context, c *Commands, _ feature.CommandRequest) (string, error) {
	report, err := c.o.Doctor(ctx)
	if err != nil {
		return "", err
	}
	var all []finding
	if err := json.Unmarshal([]byte(report), &all); err != nil {
		return "", fmt.Errorf("read the doctor's report: %w", err)
	}
	var lines []string
	fine := 0
	for _, f := range all {
		if f.Mark == "ok" {
			fine++
			continue
		}
		lines = append(lines, fmt.Sprintf(textFinding, f.Mark, f.Name, strings.ReplaceAll(f.Text, "```", "'''")))
	}
	if len(lines) == 0 {
		return fmt.Sprintf(textDoctorFine, fine), nil
	}
	return fmt.Sprintf(textDoctorFound, strings.Join(lines, "\n"), fine), nil
}
