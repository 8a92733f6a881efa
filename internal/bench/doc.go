// Bench measures Levee.
//
//	go run ./internal/bench                    compare with references; a table of medians
//	go run ./internal/bench drive --target URL load any server of the Delta API, open loop
//	go run ./internal/bench seed --store ...   fill a store with many tables
//	go run ./internal/bench scale --store ...  the server on a large store, beside a small one
//
// # Method of compare
//
// A figure from a machine that does other work, too, says little; and so does one of last week. So
// nothing is measured alone: an experiment has a subject and references, such as a handler that
// sends the same bytes from memory, or a log that does nothing but write and sync. They take turns
// in short rounds, beginning with another one each time; each round gives one ratio, and the
// median of these is what is judged. Beside it stands the CPU of one operation, which other
// work changes least.
//
// Each subject and each reference is a process of its own (this program, started again), so that
// its CPU is told by the system and contains nothing of the clients. What a server is asked over HTTP
// comes from the main process, by a client that costs little; what is measured without HTTP runs
// in the child itself. Servers and references are wrapped in the same http.Server.
//
// An operation that must be durable is: SQLite and PostgreSQL run with their full sync, on the
// disk below --dir. That must not be a tmpfs, where a sync costs nothing.
//
// # The files
//
// experiment.go says what an experiment is, and the files load.go, commit.go, hot.go, embedded.go and start.go
// list them; compare.go runs them and prints the table. lab.go owns whatever they start. child.go is
// the main process's side of a child, host.go and the files host_*.go are the other side.
package main
