package chattest

import "strings"

// Style is the appearance of a character. Color is a colour's number of ECMA-48, from 31 to 36; 0
// means the terminal's default.
type Style struct {
	Bold, Dim, Italic, Underline, Strikethrough bool
	Color                                       int
}

// colors maps the number of a colour in an escape sequence to the value of Style.Color.
var colors = map[string]int{"31": 31, "32": 32, "33": 33, "34": 34, "35": 35, "36": 36}

// dress sets the style of later text, by the numbers in an escape sequence.
func (e *Screen) dress(numbers string) {
	for number := range strings.SplitSeq(numbers, ";") {
		switch number {
		case "", "0":
			e.look = Style{}
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
