package shell

import "unicode/utf8"

// Bounds of one control sequence. Numbers beyond these bounds are read and ignored.
const (
	maxNumbers = 16
	maxNumber  = 9999
)

// mode is the state of the parser.
type mode byte

const (
	modeGround  mode = iota // the parser is within plain text
	modeEscape              // the parser has read ESC
	modeSkip                // before the last byte of an ignored sequence
	modeCharset             // the parser has read ESC (
	modeControl             // the parser has read ESC [
	modeString              // the parser is in a string for the terminal itself, such as its title
	modeEnd                 // the parser has read ESC in a string
)

// parser finds the characters and control sequences in a stream of bytes. Its zero value is ready
// to use. (Its modes are the states of the DEC parser that Paul Williams describes, vt100.net/emu.)
type parser struct {
	mode    mode
	private byte  // private mark after ESC [ or before the last byte; 0 means none
	numbers []int // numbers of the sequence; -1 means not given
	rune    []byte
}

// modeHandlers handle a byte in each mode. Control characters come here only within a string.
var modeHandlers = [...]func(*screen, byte){
	modeGround:  printByte,
	modeEscape:  escapeByte,
	modeSkip:    func(s *screen, _ byte) { s.mode = modeGround },
	modeCharset: func(s *screen, b byte) { s.cursor.boxLines, s.mode = b == '0', modeGround },
	modeControl: controlByte,
	modeString:  stringByte,
	modeEnd:     stringEnd,
}

func (p *parser) parse(s *screen, raw []byte) {
	for _, b := range raw {
		if len(p.rune) > 0 && (b < 0x80 || b >= 0xc0) {
			p.rune = p.rune[:0] // the character is incomplete, so U+FFFD is shown instead
			s.print(utf8.RuneError)
		}
		if inString := p.mode == modeString || p.mode == modeEnd; b < 0x20 && !inString {
			controlCharacter(s, b)
			continue
		}
		modeHandlers[p.mode](s, b)
	}
}

// controlCharacter performs a control character. A control character within a sequence counts too,
// and the sequence continues after it.
func controlCharacter(s *screen, b byte) {
	if do := controlActions[b]; do != nil {
		do(s)
	}
}

func printByte(s *screen, b byte) {
	if b < 0x80 {
		if b != 0x7f {
			s.print(rune(b))
		}
		return
	}
	s.rune = append(s.rune, b)
	if utf8.FullRune(s.rune) {
		r, _ := utf8.DecodeRune(s.rune)
		s.rune = s.rune[:0]
		s.print(r)
	}
}

// escapeModes are the modes after ESC and a byte that does not complete a sequence.
var escapeModes = map[byte]mode{
	'[': modeControl, ']': modeString, 'P': modeString, '^': modeString, '_': modeString, 'X': modeString,
	'(': modeCharset, ')': modeSkip, '*': modeSkip, '+': modeSkip, '-': modeSkip, '.': modeSkip, '/': modeSkip,
	'#': modeSkip, '%': modeSkip, ' ': modeSkip,
}

func escapeByte(s *screen, b byte) {
	s.mode, s.private, s.numbers = escapeModes[b], 0, s.numbers[:0]
	if do := escapeActions[b]; do != nil {
		do(s)
	}
}

func controlByte(s *screen, b byte) {
	switch {
	case b >= '0' && b <= '9':
		s.addDigit(int(b - '0'))
	case b == ';' || b == ':':
		s.nextNumber()
	case b < 0x40:
		s.private = b
	case b < 0x7f:
		s.mode = modeGround
		if do := sequenceActions[sequence{s.private, b}]; do != nil {
			do(s, s.numbers)
		}
	}
}

func (p *parser) addDigit(d int) {
	if len(p.numbers) == 0 {
		p.numbers = append(p.numbers, -1)
	}
	last := &p.numbers[len(p.numbers)-1]
	*last = min(max(*last, 0)*10+d, maxNumber)
}

func (p *parser) nextNumber() {
	if len(p.numbers) == 0 {
		p.numbers = append(p.numbers, -1)
	}
	if len(p.numbers) < maxNumbers {
		p.numbers = append(p.numbers, -1)
	}
}

// stringByte ignores a byte of a string. BEL, CAN, SUB and ESC \ end the string.
func stringByte(s *screen, b byte) {
	switch b {
	case 0x07, 0x18, 0x1a:
		s.mode = modeGround
	case 0x1b:
		s.mode = modeEnd
	}
}

// stringEnd handles the byte after ESC in a string. Any byte ends the string.
func stringEnd(s *screen, b byte) {
	s.mode = modeGround
	switch {
	case b < 0x20:
		controlCharacter(s, b)
	case b != '\\':
		escapeByte(s, b)
	}
}
