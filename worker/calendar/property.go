package calendar

import (
	"strings"
	"time"

	"github.com/emersion/go-ical"
)

// property reads a content line. It splits parameters leniently: RFC 5545 forbids some
// lines that other programs write.
func property(line string) *ical.Prop {
	p := &ical.Prop{}
	end := strings.IndexAny(line, ";:")
	if end < 0 {
		return p
	}
	p.Name = capitals(line[:end])
	for rest := line[end:]; rest != ""; {
		if rest[0] == ':' {
			p.Value = rest[1:]
			break
		}
		var name, value string
		name, value, rest = parameter(rest[1:])
		if p.Params == nil {
			p.Params = ical.Params{}
		}
		p.Params[name] = append(p.Params[name], value)
	}
	return p
}

// parameter reads one parameter, and returns what follows it, from its semicolon or colon.
func parameter(text string) (name, value, rest string) {
	quoted, end := false, len(text)
	for i := range len(text) {
		if text[i] == '"' {
			quoted = !quoted
		} else if !quoted && (text[i] == ';' || text[i] == ':') {
			end = i
			break
		}
	}
	name, value, _ = strings.Cut(text[:end], "=")
	return capitals(name), strings.Trim(value, `"`), text[end:]
}

// text returns the text of a property without its escapes; "" means that the component has none.
func (c *Component) text(name string) string {
	line := c.line(name)
	if line == "" {
		return ""
	}
	return unescape(property(line).Value)
}

// unescape removes the escapes of a text. It keeps a backslash that escapes nothing.
func unescape(value string) string {
	if strings.IndexByte(value, '\\') < 0 {
		return value
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 == len(value) {
			b.WriteByte(value[i])
			continue
		}
		switch i++; value[i] {
		case 'n', 'N':
			b.WriteByte('\n')
		case '\\', ',', ';', ':', '"':
			b.WriteByte(value[i])
		default:
			b.WriteString(value[i-1 : i+1])
		}
	}
	return b.String()
}

var escaper = strings.NewReplacer(`\`, `\\`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`, ",", `\,`, ";", `\;`)

// textLine returns the content line of a text; "" if the text is empty.
func textLine(name, text string) string {
	if text = strings.ToValidUTF8(text, "\ufffd"); text == "" {
		return ""
	}
	return name + ":" + strings.Map(dropControl, escaper.Replace(text))
}

// dropControl drops control characters, which a content line may not have.
func dropControl(r rune) rune {
	if r < ' ' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}

// duration reads a duration such as PT1H30M or -P1W. A leading plus and weeks with days are read
// too.
func duration(value string) (time.Duration, bool) {
	p := ical.Prop{Name: ical.PropDuration, Value: strings.TrimSpace(value)}
	d, err := p.Duration()
	return d, err == nil
}
