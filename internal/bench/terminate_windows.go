package main

import "os"

// terminate ends a process, which cannot be asked here.
func terminate(p *os.Process) error { return p.Kill() }
