// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/cli-runtime/pkg/resource"
)

// checkDuplicates refuses files in which a key stands twice: kubectl apply uses the last one without a
// warning, and the API server gets only that. The standard input and URLs cannot be read again.
func checkDuplicates(infos []*resource.Info) error {
	checked := map[string]bool{}
	for _, info := range infos {
		if checked[info.Source] {
			continue
		}
		checked[info.Source] = true
		text, err := os.ReadFile(info.Source)
		if err == nil {
			err = duplicatesIn(text)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", info.Source, err)
		}
	}
	return nil
}

func duplicatesIn(text []byte) error {
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document any
		err := documents.Decode(&document)
		if duplicates, is := errors.AsType[*yaml.TypeError](err); is {
			return usageError("%s: remove one of the two", strings.Join(duplicates.Errors, "; "))
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read its YAML: %w", err)
		}
	}
}
