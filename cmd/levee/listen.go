package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
)

// listen refuses addresses that others can reach, unless requests are authenticated.
func (s serveCmd) listen(log *slog.Logger) (net.Listener, error) {
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %q: %w", s.Listen, err)
	}
	ip := net.ParseIP(host)
	switch loopback := host == "localhost" || ip != nil && ip.IsLoopback(); {
	case loopback || s.InsecureNoAuth:
	case s.authenticates():
		log.Warn("tokens come in the clear: have something in front of this address that speaks TLS, and let nobody else reach it", "listen", s.Listen)
	default:
		return nil, fmt.Errorf("--listen %q: others can reach this address, and nobody is authenticated: listen on 127.0.0.1, give --admin NAME to ask for tokens, or --insecure-no-auth to allow everybody everything", s.Listen)
	}
	return net.Listen("tcp", s.Listen)
}

// reachable is the URL of an address on this machine, and what to say of its others.
func reachable(a net.Addr) (at, others string) {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port), " and all other addresses of this machine"
	}
	return "http://" + a.String(), ""
}

// greet says where the server is and what to try.
func (s serveCmd) greet(w io.Writer, at, others, data string, who admin) {
	fmt.Fprintf(w, "levee %s serves on %s%s (data in %s)\n", version(), at, others, data)
	if s.authenticates() {
		fmt.Fprintln(w, "each request needs a token")
		if who.tokenFile != "" {
			fmt.Fprintf(w, "the token of %s is in %s\ntry: levee catalogs list --server %s --token-file '%s'\n", who.name, who.tokenFile, at, who.tokenFile)
		}
		return
	}
	if s.Catalog == "" {
		fmt.Fprintf(w, "try: levee demo --server %s\n", at)
		return
	}
	fmt.Fprintf(w, "try: curl '%s/api/2.1/unity-catalog/delta/v1/config?catalog=%s&protocol-versions=1.0'\n", at, url.QueryEscape(s.Catalog))
}
