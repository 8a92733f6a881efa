package server

import (
	"net"
	"net/http"
	"slices"

	"github.com/leveelake/catalog/types"
)

// LocalOnly protects a server that listens on loopback without authentication from web
// pages: it refuses requests that a browser sends for another site, and requests to a
// name that is not this machine's (which a page's owner could let point here). It also refuses
// what a proxy passes on, behind which may be anybody.
func (s *Server) LocalOnly() http.Handler {
	refuse := func(why string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.faceOf(r).fail(s, w, r, types.PermissionDenied.Errorf("%s", why))
		})
	}
	pages := http.NewCrossOriginProtection()
	pages.SetDenyHandler(refuse("a web page of another site may not use this server"))
	protected := pages.Handler(s)
	foreign := refuse("this server answers only to localhost and loopback addresses")
	proxied := refuse("a proxy has passed this request on, and this server asks nobody who they are, so it answers only to this machine itself: start it with authentication (levee serve --admin NAME)")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case slices.ContainsFunc(proxyHeaders, func(name string) bool { return r.Header[name] != nil }):
			proxied.ServeHTTP(w, r)
		case !isLoopback(r.Host):
			foreign.ServeHTTP(w, r)
		default:
			protected.ServeHTTP(w, r)
		}
	})
}

// proxyHeaders are what proxies put into the requests of others.
var proxyHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"}

// isLoopback tells of a host, with or without a port, that is this machine by name.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if n := len(host); n > 1 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
