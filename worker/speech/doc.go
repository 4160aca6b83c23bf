// Package speech transcribes recordings and speaks texts, by programs behind the walls of the
// tools.
//
// ffmpeg converts a recording to samples and finds the silences. There the recording is cut into
// pieces of about 2 minutes. A recogniser transcribes one piece after the other: whisper.cpp's
// whisper-cli, or any other by its command line.
package speech
