package files

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeChunk is the number of bytes that are decoded at once.
const decodeChunk = 32 << 10

// textDecoder reads the text of a file as UTF-8, in constant memory. It replaces NUL by U+FFFD,
// because some receivers of the text do not accept a NUL.
type textDecoder struct {
	src  io.Reader
	enc  encoding
	odd  bool   // bytes that are not UTF-8 were read as Windows-1252
	raw  []byte // bytes read but not decoded; a part of store
	out  []byte // bytes decoded but not yet read by the caller; a part of text
	err  error  // the error that ended the reading of src
	text []byte
	// store is the buffer of raw. An incomplete character at the end of a read waits at its front.
	store [decodeChunk]byte
}

// reset begins a new file, whose first bytes are head. The argument src holds the rest.
func (d *textDecoder) reset(head []byte, src io.Reader, enc encoding) {
	for _, m := range byteOrderMarks {
		if m.encoding == enc {
			head = bytes.TrimPrefix(head, []byte(m.bytes))
		}
	}
	d.src, d.enc, d.odd, d.err, d.out = src, enc, false, nil, nil
	d.raw = d.store[:copy(d.store[:], head)]
	d.decode()
}

// Read makes *textDecoder an io.Reader.
func (d *textDecoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		kept := copy(d.store[:], d.raw)
		var n int
		n, d.err = d.src.Read(d.store[kept:])
		d.raw = d.store[:kept+n]
		d.decode()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// decode moves whole characters from raw to out. At the end of the file it moves the whole rest.
func (d *textDecoder) decode() {
	d.text = d.text[:0]
	if d.enc == encodingUTF16LE || d.enc == encodingUTF16BE {
		d.decodeUTF16()
	} else {
		d.decodeUTF8()
	}
	d.out = d.text
}

func (d *textDecoder) decodeUTF8() {
	if utf8.Valid(d.raw) && bytes.IndexByte(d.raw, 0) < 0 {
		d.text, d.raw = append(d.text, d.raw...), nil
		return
	}
	raw, text := d.raw, d.text
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n == 1 {
			if d.err == nil && !utf8.FullRune(raw) {
				break // the rest of the character is still to come
			}
			r, d.odd = decode1252(raw[0]), true
		}
		if r == 0 {
			r = utf8.RuneError
		}
		text, raw = utf8.AppendRune(text, r), raw[n:]
	}
	d.raw, d.text = raw, text
}

func (d *textDecoder) decodeUTF16() {
	all := utf16Units(d.raw, d.enc)
	if n := len(all); d.err == nil && n > 0 && utf16.IsSurrogate(rune(all[n-1])) && all[n-1] < 0xdc00 {
		all = all[:n-1] // the second half of the surrogate pair is still to come
	}
	for _, r := range utf16.Decode(all) {
		if r == 0 {
			r = utf8.RuneError
		}
		d.text = utf8.AppendRune(d.text, r)
	}
	d.raw = d.raw[2*len(all):]
	if d.err != nil && len(d.raw) > 0 {
		d.text, d.raw = utf8.AppendRune(d.text, utf8.RuneError), nil
	}
}

// utf16Units returns the whole 16-bit units of raw, without the byte order mark.
func utf16Units(raw []byte, enc encoding) []uint16 {
	all := make([]uint16, len(raw)/2)
	for i := range all {
		all[i] = byteOrderOf(enc).Uint16(raw[2*i:])
	}
	return all
}

// byteOrder has the methods that this file uses of encoding/binary's two byte orders.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func byteOrderOf(enc encoding) byteOrder {
	if enc == encodingUTF16BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
