package serve_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"mews/worker/serve"
)

// workerVariable tells the test's own program that it is a worker.
const workerVariable = "MEWS_TEST_WORKER"

// runWorkerProcess serves the supervisor at descriptor 3, with the file history at descriptor 4.
func runWorkerProcess() error {
	for fd := 3; fd <= 4; fd++ {
		unix.CloseOnExec(fd)
	}
	conn, err := net.FileConn(os.NewFile(3, "supervisor"))
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), conn.(*net.UnixConn), serve.Options{Build: "test", Now: time.Now,
		Report: func(err error) { fmt.Fprintln(os.Stderr, err) }, Start: (*exec.Cmd).Start, History: os.NewFile(4,
			"history")})
}
