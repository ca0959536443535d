package sample

// load leads back to the file of its caller.
func (s *server) load() int { return s.rest() }
