package sample

type queue[T any] struct{ waiting []T }

// Len is a method of a generic type, which a caller uses as a method of an instance.
func (q *queue[T]) Len() int { return len(q.waiting) + bottom() }

type sized interface{ Len() int }

type server struct {
	jobs  queue[int]
	other sized
}

// Serve calls two methods, and one of an interface.
func (s *server) Serve() int { return s.load() + s.jobs.Len() + s.other.Len() }

func (s *server) rest() int { return len(s.jobs.waiting) }
