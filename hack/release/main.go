// SPDX-License-Identifier: Apache-2.0

// Release writes the files of a release. `make dist` runs it. With the same commit and the same
// version of Go it writes the same bytes, on any machine and in any folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) //nolint:forbidigo // the root context
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one run: what is built, from which tree, and where it is written.
type release struct {
	root, into        string
	kustomize         string
	version, revision string
	date              time.Time
	platforms         []string // of the manager and its image, such as linux/amd64
	pluginPlatforms   []string
}

func run(ctx context.Context, args []string) error {
	r := release{}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.root, "root", "../..", "the `folder` of the repository")
	flags.StringVar(&r.into, "into", "../../dist", "the `folder` to write, which is emptied first")
	flags.StringVar(&r.kustomize, "kustomize", "", "the kustomize `program`; default: bin/kustomize of the repository")
	flags.StringVar(&r.version, "version", "", "the `version`: what the file VERSION contains")
	flags.StringVar(&r.revision, "revision", "unknown", "the `commit` that is built")
	date := flags.Int64("date", 0, "the `time` of the commit, in seconds since 1970: the time of every file")
	platforms := flags.String("platforms", "linux/amd64,linux/arm64", "comma-separated `platforms` of the manager")
	plugins := flags.String("plugin-platforms", pluginPlatforms, "comma-separated `platforms` of the kubectl plugin")
	manifestsOnly := flags.Bool("manifests-only", false, "write only the manifests and the chart")
	push := flags.String("push", "", "write nothing; push the image in the folder by its digest to this `repository`")
	tag := flags.String("tag", "", "write nothing; name the pushed image in this `repository` by the version")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read flags: %w", err)
	}
	r.date = time.Unix(*date, 0).UTC()
	r.platforms, r.pluginPlatforms = strings.Split(*platforms, ","), strings.Split(*plugins, ",")
	if *push != "" {
		return r.push(ctx, *push)
	}
	if *tag != "" {
		return r.tag(ctx, *tag)
	}
	if r.kustomize == "" {
		r.kustomize = filepath.Join(r.root, "bin", "kustomize")
	}
	// The manifests and the chart name the digest of the image, so the image comes first.
	if *manifestsOnly {
		return r.write(ctx, r.manifests, r.chart, r.checksums)
	}
	return r.write(ctx, r.managers, r.plugins, r.image, r.sbom, r.provenance, r.manifests, r.chart, r.checksums)
}

// write empties the folder and writes the files.
func (r release) write(ctx context.Context, steps ...func(context.Context) error) error {
	if err := r.checkVersion(); err != nil {
		return err
	}
	err := errors.Join(os.RemoveAll(r.into), os.MkdirAll(r.into, 0o755)) //nolint:gosec // others may read it
	if err != nil {
		return fmt.Errorf("empty the folder: %w", err)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkVersion refuses a version that differs from the one in the file VERSION.
func (r release) checkVersion() error {
	text, err := os.ReadFile(filepath.Join(r.root, "VERSION"))
	if err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	if stated := strings.TrimSpace(string(text)); stated != r.version {
		return fmt.Errorf("the version is %q, but the file VERSION contains %q: change it, then make manifests",
			r.version, stated)
	}
	return nil
}

func (r release) path(name string) string { return filepath.Join(r.into, name) }

// names are the names of the files that were written, sorted.
func (r release) names() ([]string, error) {
	entries, err := os.ReadDir(r.into)
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if entry.Type()&fs.ModeType == 0 {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

func (r release) writeFile(name, text string) error {
	if err := os.WriteFile(r.path(name), []byte(text), 0o644); err != nil { //nolint:gosec // others may read it
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
