package telegram

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"testing"

	"mews/supervisor"
)

// yes answers every request on one connection. It allocates no memory, so that only the client's
// allocations are counted.
func yes(conn net.Conn) {
	const result = `{"ok":true,"result":{"message_id":7,"from":{"id":42,"is_bot":true,"first_name":"Mews","username":"mews_bot"},` +
		`"chat":{"id":5,"first_name":"Alice","type":"private"},"date":1763628000,"text":"hi"}}`
	said := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(result)) + "\r\n\r\n" + result)
	lengthIs, endOfHead := []byte("Content-Length: "), []byte("\r\n\r\n")
	buf, have := make([]byte, 64<<10), 0
	for {
		n, err := conn.Read(buf[have:])
		if err != nil {
			return
		}
		have += n
		head := bytes.Index(buf[:have], endOfHead)
		if head < 0 {
			continue
		}
		length := 0
		for _, digit := range buf[bytes.Index(buf[:head], lengthIs)+len(lengthIs):] {
			if digit < '0' {
				break
			}
			length = length*10 + int(digit-'0')
		}
		if have < head+len(endOfHead)+length {
			continue
		}
		have = 0
		if _, err := conn.Write(said); err != nil {
			return
		}
	}
}

// BenchmarkSend measures one message over a kept loopback connection.
func BenchmarkSend(b *testing.B) {
	c, err := New(Options{Token: canaryToken, APIURL: listen(b, yes)})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	to := supervisor.PostAddress{Chat: "5", ReplyTo: "6"}
	content := supervisor.RichText{
		Text:     strings.Repeat("A sentence of the usual length, with a word in bold. ", 20),
		Entities: []supervisor.RichTextEntity{{Type: supervisor.EntityBold, Offset: 47, Length: 4}},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Send(b.Context(), to, content); err != nil {
			b.Fatal(err)
		}
	}
}
