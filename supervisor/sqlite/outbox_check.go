package sqlite

import (
	"strings"

	"mews/supervisor"
)

// maxPressBytes is the greatest length of a button's data, in bytes. (Bot API, callback_data.)
const maxPressBytes = 64

// checkDelivery fails for a delivery that no channel can take. A later failure would not show which
// caller made the delivery.
func checkDelivery(d supervisor.Delivery) error {
	for _, row := range d.Buttons {
		for _, b := range row {
			if err := checkButton(b); err != nil {
				return err
			}
		}
	}
	for _, f := range d.Files {
		if len(f.SHA256) != 64 || f.Size < 0 || f.Name == "" || f.MediaType == "" {
			return invalid("the file %q (%q, %d bytes, %q) is not one that can be sent", f.Name, f.SHA256, f.Size, f.MediaType)
		}
	}
	switch {
	// the posts of a growing reply cannot become files
	case len(d.Files) > 0 && d.Turn != 0:
		return invalid("the answer of turn %d has files: they need a delivery of their own", d.Turn)
	case d.DeleteAfter < 0:
		return invalid("a delivery can't be deleted before it was given (%v)", d.DeleteAfter)
	}
	return nil
}

func checkButton(b supervisor.Button) error {
	printable := !strings.ContainsFunc(b.Press, func(r rune) bool { return r < ' ' || r > '~' })
	if strings.TrimSpace(b.Text) == "" || b.Press == "" || len(b.Press) > maxPressBytes || !printable {
		return invalid("the button %q (%q) is not one that can be pressed: it needs a text, and 1 to %d bytes of printable "+
			"ASCII to come back", b.Text, b.Press, maxPressBytes)
	}
	return nil
}
