package catalog

import (
	"context"
	"slices"
)

// A caller is who makes a request.
type caller struct {
	name   string
	groups []string
}

// has reports whether name is the caller or one of the caller's groups. Nobody is "".
func (c caller) has(name string) bool {
	return name != "" && (c.name == name || slices.Contains(c.groups, name))
}

type (
	callerKey  struct{}
	requestKey struct{}
)

// WithPrincipal returns a context whose requests are made by principal, an authenticated name, who is a
// member of groups. The catalog trusts both.
func WithPrincipal(ctx context.Context, principal string, groups ...string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller{principal, slices.Clone(groups)})
}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// Principal returns who makes the requests of ctx; "" if nobody is authenticated.
func Principal(ctx context.Context) string { return callerOf(ctx).name }

// WithRequestID returns a context whose requests are told by id in the audit log.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestID returns the ID of the requests of ctx; "" if they have none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
