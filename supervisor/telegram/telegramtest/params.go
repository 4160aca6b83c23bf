package telegramtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
)

// maxBody is the largest request that is read: an upload of 50 MB and its form.
const maxBody = 52 << 20

// params are a request's parameters. Parameters of a JSON body keep their types, with whole numbers
// as int64. All other parameters are strings.
type params map[string]any

// requestBody is a request's body. It remembers whether the connection ended before the body did.
type requestBody struct {
	io.ReadCloser
	cut bool
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.cut = b.cut || err != nil && err != io.EOF
	return n, err
}

// readParams reads parameters from the URL and from a body of JSON, a form or a multipart form. A
// multipart form may also have files.
func readParams(r *http.Request) (params, map[string]File, error) {
	p := params{}
	var files map[string]File
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		if err := p.readJSON(r.Body); err != nil {
			return p, nil, err
		}
	case "multipart/form-data":
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			return p, nil, fmt.Errorf("read a multipart form: %w", err)
		}
		var err error
		if files, err = readUploads(r.MultipartForm); err != nil {
			return p, nil, err
		}
	}
	if err := r.ParseForm(); err != nil {
		return p, nil, fmt.Errorf("read a form: %w", err)
	}
	for name, values := range r.Form {
		p[name] = values[0]
	}
	return p, files, nil
}

func (p params) readJSON(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	m := map[string]any{}
	if err := dec.Decode(&m); err != nil {
		return fmt.Errorf("read a JSON body: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("read a JSON body: something follows it")
	}
	for name, v := range m {
		if v != nil {
			p[name] = convertNumbers(v)
		}
	}
	return nil
}

// convertNumbers converts each json.Number in a value to int64, or else to float64.
func convertNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		for name, x := range v {
			v[name] = convertNumbers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = convertNumbers(x)
		}
	}
	return v
}

// text returns a parameter as a string; the server reads a value of any type as a string.
func (p params) text(name string) string {
	switch v := p[name].(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any, []any:
		return string(mustMarshal(v))
	default:
		return fmt.Sprint(v)
	}
}

// number returns a whole number; 0 if there is none.
func (p params) number(name string) int64 {
	if n, ok := p[name].(int64); ok {
		return n
	}
	n, _ := strconv.ParseInt(p.text(name), 10, 64)
	return n
}

// clampedNumber returns a whole number between low and high. Any other number becomes the nearer
// bound.
func (p params) clampedNumber(name string, otherwise, low, high int64) int64 {
	if _, ok := p[name]; !ok {
		return otherwise
	}
	return min(max(p.number(name), low), high)
}

// isTrue reports whether a parameter is true.
func (p params) isTrue(name string) bool {
	s := p.text(name)
	return s == "true" || s == "1" || s == "yes"
}

// decode decodes a parameter that is an object, an array, or the JSON of one. If the parameter is
// missing, into stays as it is.
func (p params) decode(name string, into any) error {
	s := p.text(name)
	if s == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(s), into); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
