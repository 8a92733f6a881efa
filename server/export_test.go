package server

// Patterns are those of all routes of s.
func (s *Server) Patterns() []string { return s.patterns }
