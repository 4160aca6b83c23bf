package protocol

// Blobs are bytes that are not sent in a line's parameters: a tool's whole output if Text was cut,
// pictures, files, archives. The worker sends and reads blobs in chunks of at most
// MaxBlobChunkBytes bytes, with at most MaxUnansweredChunks chunks unanswered. Chunks wait until
// every other message has left. The supervisor stores a blob under its hash and never opens a path
// that a worker named.
//
// The parameters of each call name either its turn or its operation; the other is 0.
const (
	MethodBlobBegin  = "blob.begin"  // params BlobBeginParams, result BlobBeginResult
	MethodBlobWrite  = "blob.write"  // params BlobWriteParams, no result
	MethodBlobCommit = "blob.commit" // params BlobCommitParams, result BlobRef
	MethodBlobRead   = "blob.read"   // params BlobReadParams, result BlobReadResult
)

const (
	MaxBlobChunkBytes   = 64 << 10 // bytes of blob data in one message
	MaxUnansweredChunks = 2        // chunks of one blob that may be unanswered
)

// BlobRef names a blob by its content.
type BlobRef struct {
	SHA256 string `json:"sha256"` // SHA-256 of the blob's bytes, in hexadecimal
	Size   int64  `json:"size"`   // size of the blob in bytes
}

// BlobBeginParams opens a blob for writing. The blob belongs to the turn or operation. If the turn
// or operation ends before the blob's commit, the blob is dropped.
type BlobBeginParams struct {
	Turn      int64 `json:"turn,omitempty"`
	Operation int64 `json:"operation,omitempty"`
	// the blob holds the bytes of a file before a change, at most MaxUndoFileBytes
	Before bool `json:"before,omitempty"`
}

// BlobBeginResult names the open blob on this connection.
type BlobBeginResult struct {
	Blob int64 `json:"blob"`
}

// BlobWriteParams appends Data to a blob. Offset must be the number of bytes written so far.
type BlobWriteParams struct {
	Turn      int64  `json:"turn,omitempty"`
	Operation int64  `json:"operation,omitempty"`
	Blob      int64  `json:"blob"`
	Offset    int64  `json:"offset"`
	Data      []byte `json:"data"`
}

// BlobCommitParams closes a blob and makes it durable.
type BlobCommitParams struct {
	Turn      int64 `json:"turn,omitempty"`
	Operation int64 `json:"operation,omitempty"`
	Blob      int64 `json:"blob"`
}

// BlobReadParams asks for at most Length bytes from Offset. Only blobs of the connection's own user
// can be read.
type BlobReadParams struct {
	Turn      int64  `json:"turn,omitempty"`
	Operation int64  `json:"operation,omitempty"`
	SHA256    string `json:"sha256"`
	Offset    int64  `json:"offset"`
	Length    int    `json:"length"` // bytes to read, 1 to MaxBlobChunkBytes
}

// BlobReadResult is a part of a blob, and the size of the whole.
type BlobReadResult struct {
	Data []byte `json:"data"`
	Size int64  `json:"size"`
}
