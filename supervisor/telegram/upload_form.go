package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"slices"
)

// body returns a form of the parameters and the files, which are read while they are sent.
func (u uploads) body(params []byte) (*trackedBody, string, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	err := writeParams(w, params)
	size := int64(0)
	heads := make([][]byte, len(u)) // the bytes before each file
	for i, file := range u {
		_, partErr := w.CreateFormFile(file.part, file.name)
		err = errors.Join(err, partErr)
		heads[i] = bytes.Clone(form.Bytes())
		form.Reset()
		size += int64(len(heads[i])) + file.size
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, "", fmt.Errorf("write its parameters as a form: %w", err)
	}
	end := form.Bytes()
	return &trackedBody{size: size + int64(len(end)), open: func() (io.ReadCloser, error) {
		return u.reader(heads, end)
	}}, w.FormDataContentType(), nil
}

// reader reads a form from its beginning.
func (u uploads) reader(heads [][]byte, end []byte) (io.ReadCloser, error) {
	form := &formReader{}
	var parts []io.Reader
	for i, file := range u {
		source, _, err := file.open()
		if err != nil {
			return nil, errors.Join(err, form.Close())
		}
		form.sources = append(form.sources, source)
		parts = append(parts, bytes.NewReader(heads[i]), &exactLengthReader{source, file.size})
	}
	form.Reader = io.MultiReader(append(parts, bytes.NewReader(end))...)
	return form, nil
}

// exactLengthReader reads exactly n bytes. If the file has fewer, it fails before any later byte is
// read. Otherwise the form would look complete although the file is not.
type exactLengthReader struct {
	source io.Reader
	left   int64
}

func (e *exactLengthReader) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.source.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if err == io.EOF && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// formReader reads a form and closes its files.
type formReader struct {
	io.Reader
	sources []io.Closer
}

func (f *formReader) Close() (err error) {
	for _, s := range f.sources {
		err = errors.Join(err, s.Close())
	}
	return err
}

// writeParams writes everything before the files. Values are JSON, except for strings, as the API
// expects.
func writeParams(w *multipart.Writer, params []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(params, &values); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := string(values[name])
		if value[0] == '"' {
			value = field[string](values, name)
		}
		if err := w.WriteField(name, value); err != nil {
			return err
		}
	}
	return nil
}
