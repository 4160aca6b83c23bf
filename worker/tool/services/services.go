// Package services has the tools that call the services which an admin has configured. The
// supervisor makes the calls.
package services

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/host"
)

// familyName is the family of the tools. The model opens them with find_tools.
const familyName = "services"

var readSpec = worker.ToolSpec{
	Name: "read_service", Family: familyName, Effect: protocol.EffectNone,
	Description: "Read from a service that an admin set up, such as the smart home. Without name: list the services " +
		"and how to use them.",
	Arguments: []worker.Argument{
		{Name: "name", Type: worker.StringArgument},
		{Name: "method", Type: worker.StringArgument, Description: "GET by default"},
		{Name: "path_suffix", Type: worker.StringArgument, Description: "path below the service's address"},
		{Name: "params", Type: worker.ObjectArgument, Description: "query parameters"},
		{Name: "body", Type: worker.StringArgument, Description: bodyText},
	},
}

var callSpec = worker.ToolSpec{
	Name: "call_service", Family: familyName,
	Effect:      protocol.EffectIdempotent, // a repeated call changes nothing more: see protocol.MethodServiceCall
	Description: "Change something by a service; read_service lists them. The person may be asked first.",
	Arguments: []worker.Argument{
		{Name: "name", Type: worker.StringArgument, Required: true},
		{Name: "method", Type: worker.StringArgument, Description: "POST by default"},
		{Name: "path_suffix", Type: worker.StringArgument, Description: "path below the service's address"},
		{Name: "params", Type: worker.ObjectArgument, Description: "query parameters"},
		{Name: "body", Type: worker.StringArgument, Description: bodyText},
	},
}

// bodyText describes a body to the model.
const bodyText = "JSON, or plain text"

// Host makes the calls of the turn, and reads long answers.
type Host interface {
	host.Caller
	// ReadBlob returns at most length bytes of a blob from offset on.
	ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult, error)
}

// Tools makes the tools for one turn.
func Tools(turn Host) []worker.Tool {
	read := &caller{turn: turn, method: protocol.MethodServiceRead}
	call := &caller{turn: turn, method: protocol.MethodServiceCall}
	return []worker.Tool{
		worker.DefineTool(readSpec, protocol.ServiceArguments{}, read.call),
		worker.DefineTool(callSpec, protocol.ServiceArguments{}, call.call),
	}
}

// caller makes the calls of one method in a turn.
type caller struct {
	turn   Host
	method string
	made   atomic.Int64
}

// call asks the supervisor to make a call. The supervisor has the arguments and checks them.
func (c *caller) call(ctx context.Context, call worker.Call, args protocol.ServiceArguments) (worker.Result, error) {
	if c.made.Add(1) > protocol.MaxServiceCalls { // for one more call the supervisor would end this worker
		return worker.Result{}, fmt.Errorf("services were called %d times in this turn, and no more can be",
			protocol.MaxServiceCalls)
	}
	if args.Name != "" {
		call.Progress("calling " + args.Name)
	}
	answer, err := host.CallMethod[protocol.ServiceCallResult](ctx, c.turn, c.method,
		protocol.ServiceCallParams{Call: call.ID})
	if err != nil {
		return worker.Result{}, host.ExplainRefusal(err)
	}
	text := answer.Text
	if answer.Body != nil {
		if text, err = c.read(ctx, *answer.Body); err != nil {
			return worker.Result{World: answer.World}, fmt.Errorf("read the answer of %s: %w", args.Name, err)
		}
	}
	if answer.Status == 0 {
		return worker.Result{Text: text}, nil
	}
	return worker.Result{Text: header(answer) + text, World: answer.World,
		Brief: fmt.Sprintf("status %d, %s", answer.Status, amount.FormatBytes(int64(len(text))))}, nil
}

// header returns the lines before the body of an answer.
func header(answer protocol.ServiceCallResult) string {
	text := fmt.Sprintf("HTTP status %d", answer.Status)
	if answer.MediaType != "" {
		text += ", " + answer.MediaType
	}
	if answer.Location != "" {
		text += fmt.Sprintf("\nLocation: %s (a redirect; it was not followed)", oneLine(answer.Location))
	}
	if answer.Text == "" && answer.Body == nil {
		return text + "\nThe answer is empty."
	}
	return text + "\n\n"
}

// oneLine returns an address on one line.
func oneLine(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.String()
	}
	return strings.Join(strings.Fields(address), " ")
}

// read reads a whole blob.
func (c *caller) read(ctx context.Context, ref protocol.BlobRef) (string, error) {
	var all bytes.Buffer
	for int64(all.Len()) < ref.Size {
		part, err := c.turn.ReadBlob(ctx, ref.SHA256, int64(all.Len()), protocol.MaxBlobChunkBytes)
		if err != nil {
			return "", err
		}
		if len(part.Data) == 0 {
			return "", fmt.Errorf("it ends after %d of %d bytes", all.Len(), ref.Size)
		}
		all.Write(part.Data)
	}
	return all.String(), nil
}
