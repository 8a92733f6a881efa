//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged returns whom to run PostgreSQL as, which refuses to be root.
func unprivileged() (*owner, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, fmt.Errorf("it does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &owner{uint32(uid), uint32(gid)}, nil
}

// apart makes cmd run as o, and out of reach of the keyboard: an interrupt must not
// reach it before it reaches the tests.
func apart(cmd *exec.Cmd, o *owner) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if o != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: o.uid, Gid: o.gid}
	}
}

// give gives path to o.
func give(path string, o *owner) error {
	if o == nil {
		return nil
	}
	return os.Chown(path, int(o.uid), int(o.gid))
}
