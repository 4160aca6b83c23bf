package document

import (
	"fmt"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// pageOfCharset returns the code page of a font's character set; 0 if it is not known. (RTF 1.9.1,
// \fcharset)
func pageOfCharset(charset int) int {
	switch charset {
	case 77:
		return 10000
	case 128:
		return 932
	case 129:
		return 949
	case 134:
		return 936
	case 136:
		return 950
	case 161, 162:
		return 1253 + charset - 161
	case 163:
		return 1258
	case 177, 178:
		return 1255 + charset - 177
	case 186:
		return 1257
	case 204:
		return 1251
	case 222:
		return 874
	case 238:
		return 1250
	}
	return 0
}

// encodingOfPage returns the encoding of a code page; Windows-1252 if it is not known.
func encodingOfPage(page int) encoding.Encoding {
	name := fmt.Sprint("cp", page)
	switch page {
	case 10000:
		name = "macintosh"
	case 65001:
		name = "utf-8"
	}
	if known := encodingOf(name); known != nil {
		return known
	}
	return charmap.Windows1252
}
