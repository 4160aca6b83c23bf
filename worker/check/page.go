package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/worker/parse"
)

var errNoText = errors.New("this address is no text, so no words can be found in it")

// around is how many bytes of a page a result shows before the text that was found.
const around = 120

// maxPart is the most bytes of a page that a result shows around a text that was found.
const maxPart = 400

// ReadPage finds the readable text of a page. The state of the result is a hash of that text.
// Of a picture or another file that is no text, it is a hash of the bytes.
func ReadPage(ctx context.Context, programs parse.Programs, p protocol.CheckPage) (r protocol.CheckResult, err error) {
	if p.MediaType != "" && !parse.IsPage(p.MediaType) && !parse.IsText(p.MediaType) {
		if p.Contains != "" {
			return r, errNoText
		}
		sum := sha256.Sum256(p.Body)
		return protocol.CheckResult{Seen: hex.EncodeToString(sum[:])}, nil
	}
	page, err := parse.ConvertPage(ctx, programs, parse.PageInput{Address: p.Address, MediaType: p.MediaType,
		Charset: p.Charset}, bytes.NewReader(p.Body))
	if err != nil {
		return r, fmt.Errorf("the page can't be read: %w", err)
	}
	text := strings.Join(strings.Fields(page.Title+"\n"+string(page.Text)), " ")
	sum := sha256.Sum256([]byte(text))
	r.Seen, r.Found = hex.EncodeToString(sum[:]), clip(text, protocol.MaxCheckFoundBytes)
	if p.Contains != "" {
		if r.Found, r.Met = findText(text, p.Contains); !r.Met {
			r.Found = clip(text, protocol.MaxCheckFoundBytes)
		}
	}
	r.Found = strings.ReplaceAll(r.Found, "\x00", "")
	return r, nil
}

// findText finds words in a text without regard to case and white space. It returns the part of the
// text around them.
func findText(text, words string) (part string, found bool) {
	lower := strings.ToLower(text)
	i := strings.Index(lower, strings.ToLower(strings.Join(strings.Fields(words), " ")))
	if i < 0 {
		return "", false
	}
	if len(lower) != len(text) { // the offsets differ
		text = lower
	}
	return strings.ToValidUTF8(clip(text[max(0, i-around):], maxPart), ""), true
}
