package chattest

import "strings"

// Look is how a character looks. Color is a number of ECMA-48's, from 31 to 36; 0 for the
// terminal's own.
type Look struct {
	Bold, Dim, Italic, Underline, Strikethrough bool
	Color                                       int
}

// colors are the numbers of a look's colours, as a sequence has them.
var colors = map[string]int{"31": 31, "32": 32, "33": 33, "34": 34, "35": 35, "36": 36}

// dress changes the look of what is printed next.
func (e *Screen) dress(numbers string) {
	for number := range strings.SplitSeq(numbers, ";") {
		switch number {
		case "", "0":
			e.look = Look{}
		case "1":
			e.look.Bold = true
		case "2":
			e.look.Dim = true
		case "3":
			e.look.Italic = true
		case "4":
			e.look.Underline = true
		case "9":
			e.look.Strikethrough = true
		default:
			if e.look.Color = colors[number]; e.look.Color == 0 {
				e.Errorf("the terminal gets the look %q", number)
			}
		}
	}
}
