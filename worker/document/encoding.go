package document

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// encodingOf returns an encoding by its name in pages and mails; nil if it is not known. UTF-8
// needs no encoding, and is encoding.Nop. (WHATWG, Encoding: names and labels. A table would take
// memory in every worker.)
func encodingOf(name string) encoding.Encoding {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "utf-8", "utf8", "us-ascii", "ascii", "unicode-1-1-utf-8":
		return encoding.Nop
	case "iso-8859-1", "latin1", "l1", "windows-1252", "cp1252", "x-cp1252", "iso8859-1", "iso_8859-1",
		"ansi_x3.4-1968":
		return charmap.Windows1252
	case "iso-8859-2", "latin2", "iso8859-2", "iso_8859-2":
		return charmap.ISO8859_2
	case "iso-8859-3", "latin3":
		return charmap.ISO8859_3
	case "iso-8859-4", "latin4":
		return charmap.ISO8859_4
	case "iso-8859-5", "cyrillic":
		return charmap.ISO8859_5
	case "iso-8859-6", "arabic":
		return charmap.ISO8859_6
	case "iso-8859-7", "greek":
		return charmap.ISO8859_7
	case "iso-8859-8", "iso-8859-8-i", "hebrew":
		return charmap.ISO8859_8
	case "iso-8859-10", "latin6":
		return charmap.ISO8859_10
	case "iso-8859-13":
		return charmap.ISO8859_13
	case "iso-8859-14":
		return charmap.ISO8859_14
	case "iso-8859-15", "latin9", "iso8859-15", "iso_8859-15":
		return charmap.ISO8859_15
	case "iso-8859-16":
		return charmap.ISO8859_16
	case "koi8-r", "koi8", "koi":
		return charmap.KOI8R
	case "koi8-u", "koi8-ru":
		return charmap.KOI8U
	case "macintosh", "mac", "x-mac-roman":
		return charmap.Macintosh
	case "x-mac-cyrillic":
		return charmap.MacintoshCyrillic
	case "ibm866", "cp866", "866":
		return charmap.CodePage866
	case "cp437", "ibm437":
		return charmap.CodePage437
	case "cp850", "ibm850":
		return charmap.CodePage850
	case "cp852", "ibm852":
		return charmap.CodePage852
	}
	return otherEncodingOf(strings.ToLower(strings.TrimSpace(name)))
}

// otherEncodingOf is the second half of encodingOf.
func otherEncodingOf(name string) encoding.Encoding {
	switch name {
	case "windows-874", "tis-620", "iso-8859-11", "cp874":
		return charmap.Windows874
	case "windows-1250", "cp1250", "x-cp1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251", "x-cp1251":
		return charmap.Windows1251
	case "windows-1253", "cp1253":
		return charmap.Windows1253
	case "windows-1254", "cp1254", "iso-8859-9", "latin5":
		return charmap.Windows1254
	case "windows-1255", "cp1255":
		return charmap.Windows1255
	case "windows-1256", "cp1256":
		return charmap.Windows1256
	case "windows-1257", "cp1257":
		return charmap.Windows1257
	case "windows-1258", "cp1258":
		return charmap.Windows1258
	case "shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "ms_kanji", "cp932":
		return japanese.ShiftJIS
	case "euc-jp", "x-euc-jp":
		return japanese.EUCJP
	case "iso-2022-jp":
		return japanese.ISO2022JP
	case "euc-kr", "ks_c_5601-1987", "korean", "windows-949", "ksc5601", "cp949":
		return korean.EUCKR
	case "gb2312", "gbk", "chinese", "x-gbk", "cp936":
		return simplifiedchinese.GBK
	case "gb18030":
		return simplifiedchinese.GB18030
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	case "big5", "big5-hkscs", "cn-big5", "x-x-big5", "cp950":
		return traditionalchinese.Big5
	case "utf-16", "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	return nil
}

var errEncoding = errors.New("its encoding is not known")

// useEncodings makes mails use these encodings. Only a parser's process needs them.
func useEncodings() {
	message.CharsetReader = func(name string, from io.Reader) (io.Reader, error) {
		known := encodingOf(name)
		if known == nil {
			return from, errEncoding
		}
		return known.NewDecoder().Reader(from), nil
	}
}

// maxMeta is the number of first bytes in which a page may name its encoding. (HTML, 13.2.3.2)
const maxMeta = 1024

// pageEncoding returns the encoding of a page by its first bytes. named is the encoding that a mail
// states for the page; "" means none.
func pageEncoding(head []byte, named string) encoding.Encoding {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return encoding.Nop
	}
	head = head[:min(len(head), maxMeta)]
	for i, name := range []string{named, encodingIn(head, "charset"), encodingIn(head, "encoding")} {
		if i > 0 && strings.HasPrefix(name, "utf-16") {
			name = "utf-8" // the name itself could be read as ASCII (HTML, 13.2.3.2)
		}
		if known := encodingOf(name); known != nil {
			return known
		}
	}
	for range utf8.UTFMax - 1 { // try again without the last bytes, which may be a part of a character
		if utf8.Valid(head) {
			return encoding.Nop
		}
		head = head[:max(len(head)-1, 0)]
	}
	return charmap.Windows1252
}

// encodingIn returns the value after a word and an equals sign.
func encodingIn(head []byte, word string) string {
	_, rest, found := bytes.Cut(bytes.ToLower(head), []byte(word))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if !found || len(rest) == 0 || rest[0] != '=' {
		return ""
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n\"'")
	end := bytes.IndexAny(rest, " \t\r\n\"'/>;?")
	if end < 0 {
		return ""
	}
	return string(rest[:end])
}
