//go:build !unix

package pgtest

import (
	"errors"
	"os/exec"
)

func unprivileged() (*owner, error) {
	return nil, errors.New("the tests start one only on Unix-like systems")
}

func apart(*exec.Cmd, *owner) {}

func give(string, *owner) error { return nil }
