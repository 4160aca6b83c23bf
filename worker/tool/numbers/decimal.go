package numbers

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"mews/worker"
)

// text is a JSON text or number, as it is written.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(string(data), `"`) {
		return json.Unmarshal(data, (*string)(t))
	}
	var n json.Number
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*t = text(data)
	return nil
}

// maxExponent bounds the size of numbers, because each digit takes memory.
const (
	maxExponent = 1000
	maxDigits   = 1000
)

var decimalPattern = regexp.MustCompile(`^[+-]?(\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$`)

// decimal is an exact decimal number.
type decimal struct {
	text   string
	value  *big.Rat
	digits int // digits after the point; 0 for a number with an exponent
}

// parseDecimal reads a number with a decimal point, such as -12.50 or 1e6.
func parseDecimal(written string) (d decimal, err error) {
	d.text = strings.TrimSpace(strings.ReplaceAll(written, "−", "-"))
	if len(d.text) > maxDigits {
		return d, fmt.Errorf("a number of %d characters: at most %d can be", len(d.text), maxDigits)
	}
	parts := decimalPattern.FindStringSubmatch(d.text)
	if parts == nil || parts[1]+parts[2] == "" {
		return d, fmt.Errorf("%s is no decimal number; write it like -1234.5", quote(d.text))
	}
	exponent, _ := strconv.Atoi(parts[3])
	if exponent < -maxExponent || exponent > maxExponent {
		return d, fmt.Errorf("%s: the exponent must be from -%d to %d", quote(d.text), maxExponent, maxExponent)
	}
	d.value, _ = new(big.Rat).SetString(strings.TrimSuffix(d.text, "."))
	if d.value == nil { // such as "1.e5"
		return d, fmt.Errorf("%s is no decimal number; write it like -1234.5", quote(d.text))
	}
	d.digits = max(0, len(parts[2])-exponent)
	return d, nil
}

// scaled returns the number times ten to the power of digits. It must have no more digits.
func (d decimal) scaled(digits int) *big.Int {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return new(big.Rat).Mul(d.value, new(big.Rat).SetInt(power)).Num()
}

// minus returns the difference as a decimal number.
func (d decimal) minus(other decimal) string {
	return new(big.Rat).Sub(d.value, other.value).FloatString(max(d.digits, other.digits))
}

// compare tells how two numbers compare.
func (d decimal) compare(other decimal) string {
	switch d.value.Cmp(other.value) {
	case 1:
		return fmt.Sprintf("%s > %s, by %s", d.text, other.text, d.minus(other))
	case -1:
		return fmt.Sprintf("%s < %s, by %s", d.text, other.text, other.minus(d))
	}
	return fmt.Sprintf("%s = %s", d.text, other.text)
}

// quote returns the beginning of a text in quotes.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		text = worker.TrimPartialRune(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
