package filehistory

import (
	"encoding/binary"
	"errors"
)

// errBadRecord refuses bytes that no writer of this package makes.
var errBadRecord = errors.New("the record is damaged")

// appendBytes appends a length and bytes.
func appendBytes[T string | []byte](b []byte, value T) []byte {
	b = binary.AppendUvarint(b, uint64(len(value)))
	return append(b, value...)
}

// decoder reads values from the front of bytes. After a fault it returns zero values.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) fail() {
	d.b, d.bad = nil, true
}

func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || n > 1 && d.b[n-1] == 0 { // a number has only one valid encoding
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// size reads a number of bytes, or the number of a point. It must fit into an int64.
func (d *decoder) size() int64 {
	v := int64(d.unsigned())
	if v < 0 {
		d.fail()
		return 0
	}
	return v
}

// count reads a number of items. It fails if there are fewer bytes left than items.
func (d *decoder) count() int {
	v := d.unsigned()
	if v > uint64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(v)
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *decoder) fixed(n int) []byte {
	if len(d.b) < n {
		d.fail()
		return make([]byte, n)
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) string() string {
	return string(d.fixed(d.count()))
}

// end returns an error unless all bytes were read and valid.
func (d *decoder) end() error {
	if d.bad || len(d.b) > 0 {
		return errBadRecord
	}
	return nil
}
