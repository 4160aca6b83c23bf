// Package speech hears recordings and says texts aloud, by programs behind the walls of the tools.
//
// Of a recording ffmpeg makes samples, and finds the silences; there it is cut into pieces of about
// 2 minutes, and a recogniser hears one after the other: whisper.cpp's whisper-cli, or any other by
// its command line.
package speech
