package simulator

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// StateFile keeps the state of a simulator in a file across restarts. Its methods must not be called
// at the same time.
type StateFile struct {
	sim   *Simulator
	path  string
	saved uint64 // the changes that the file has
}

// OpenState restores the simulator from a file. A file that does not exist is no error: it is written
// by the first Save.
func OpenState(sim *Simulator, path string) (*StateFile, error) {
	kept := &StateFile{sim: sim, path: path}
	file, err := os.Open(path) //nolint:gosec // G304: which file it is, is the operator's to say
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	if err := sim.Restore(bufio.NewReader(file)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	kept.saved = sim.changed()
	return kept, nil
}

// changed counts what may have changed the state.
func (s *Simulator) changed() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

// Save writes the state when something has changed since the last time. The file is replaced as a
// whole: whoever stops in between finds the old one. Only its owner may read it, as it holds access
// tokens.
func (f *StateFile) Save() error {
	changes := f.sim.changed() // before the state is read: what changes meanwhile is saved next time
	if changes == f.saved {
		return nil
	}
	if err := f.replace(); err != nil {
		return fmt.Errorf("save state: %w", err)
	}
	f.saved = changes
	return nil
}

// replace writes a file beside the old one and lets it take its place.
func (f *StateFile) replace() error {
	fresh, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+"-*")
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	err = f.write(fresh)
	if err == nil {
		err = os.Rename(fresh.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh.Name()))
	}
	return nil
}

// write writes the state and makes sure that it is on the disk.
func (f *StateFile) write(file *os.File) error {
	buffered := bufio.NewWriter(file)
	return errors.Join(f.sim.Save(buffered), buffered.Flush(), file.Sync(), file.Close())
}
