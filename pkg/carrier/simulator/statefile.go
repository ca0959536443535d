package simulator

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// StateFile keeps the state of a simulator in a file across restarts. It is not safe for concurrent
// use.
type StateFile struct {
	sim   *Simulator
	path  string
	saved uint64 // the number of changes when the file was written or read
}

// OpenState restores the simulator from a file. A missing file is not an error: the first Save
// creates it.
func OpenState(sim *Simulator, path string) (*StateFile, error) {
	state := &StateFile{sim: sim, path: path}
	file, err := os.Open(path) //nolint:gosec // G304: the operator chooses the file
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	defer file.Close() //nolint:errcheck // the file was only read
	if err := sim.Restore(bufio.NewReader(file)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	state.saved = sim.changed()
	return state, nil
}

// changed returns the number of possible changes of the state.
func (s *Simulator) changed() uint64 { return locked(s, func() uint64 { return s.changes }) }

// Save writes the state if it may have changed since the last call. The file is replaced
// atomically, so an interrupted call leaves the old file. Only the owner of the file can read it,
// because it contains access tokens.
func (f *StateFile) Save() error {
	changes := f.sim.changed() // before the state is read: later changes are saved next time
	if changes == f.saved {
		return nil
	}
	if err := f.replace(); err != nil {
		return fmt.Errorf("save state: %w", err)
	}
	f.saved = changes
	return nil
}

// replace writes a temporary file and renames it over the old one.
func (f *StateFile) replace() error {
	file, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+"-*")
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	err = f.write(file)
	if err == nil {
		err = os.Rename(file.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// write writes the state and syncs it to disk.
func (f *StateFile) write(file *os.File) error {
	buffered := bufio.NewWriter(file)
	return errors.Join(f.sim.Save(buffered), buffered.Flush(), file.Sync(), file.Close())
}
