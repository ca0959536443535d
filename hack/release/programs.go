// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// managers writes the manager for each platform, with its SBOM.
func (r release) managers(ctx context.Context) error {
	for _, platform := range r.platforms {
		name := managerName(platform)
		if err := r.build(ctx, platform, ".", r.path(name)); err != nil {
			return err
		}
		if err := r.programSBOM(name, r.path(name)); err != nil {
			return err
		}
	}
	return nil
}

func managerName(platform string) string { return "manager-" + strings.ReplaceAll(platform, "/", "-") }

// managerPackage has the variables with the version and the commit of the manager.
const managerPackage = "github.com/broadband-operator/broadband-operator/internal/manager"

// pluginPackage is the folder of the kubectl plugin.
const pluginPackage = "cmd/kubectl-broadband"

// pluginPlatforms are the platforms of the plugin. config/krew names the archive for each of them.
const pluginPlatforms = "darwin/amd64,darwin/arm64,linux/amd64,linux/arm64,windows/amd64,windows/arm64"

// archiveName is the name of the plugin's archive for a platform.
func archiveName(platform string) string {
	return "kubectl-broadband-" + strings.ReplaceAll(platform, "/", "-") + ".tar.gz"
}

// plugins writes an archive of the kubectl plugin for each platform, with its SBOM.
func (r release) plugins(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "release-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder is harmless
	for _, platform := range r.pluginPlatforms {
		if err := r.plugin(ctx, platform, folder); err != nil {
			return err
		}
	}
	return nil
}

func (r release) plugin(ctx context.Context, platform, folder string) error {
	name := "kubectl-broadband"
	if strings.HasPrefix(platform, "windows/") {
		name += ".exe"
	}
	if err := r.build(ctx, platform, "./"+pluginPackage, filepath.Join(folder, name)); err != nil {
		return err
	}
	program, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // our own folder
	if err != nil {
		return fmt.Errorf("read the kubectl plugin: %w", err)
	}
	terms, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return fmt.Errorf("read the license: %w", err)
	}
	err = r.writeArchive(archiveName(platform), []file{
		{name: "LICENSE", mode: readable, content: terms}, {name: name, mode: executable, content: program},
	})
	if err != nil {
		return err
	}
	return r.programSBOM(archiveName(platform), filepath.Join(folder, name))
}

// build builds a program that needs no C library and does not contain the path of the source
// folder.
func (r release) build(ctx context.Context, platform, program, into string) error {
	system, architecture, isPlatform := strings.Cut(platform, "/")
	if !isPlatform {
		return fmt.Errorf("the platform %q is not of the form linux/amd64", platform)
	}
	absolute, err := filepath.Abs(into)
	if err != nil {
		return fmt.Errorf("find the folder: %w", err)
	}
	// The plugin has the first variable, the manager has the others.
	link := fmt.Sprintf("-s -w -X main.version=%[1]s -X %[3]s.version=%[1]s -X %[3]s.revision=%[2]s",
		r.version, r.revision, managerPackage)
	//nolint:gosec // our own programs
	command := exec.CommandContext(ctx, "go", "build", "-ldflags", link, "-o", absolute, program)
	command.Dir = r.root
	command.Env = append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false", "CGO_ENABLED=0", "GOWORK=off",
		"GOOS="+system, "GOARCH="+architecture, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off")
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s for %s: %w: %s", program, platform, err, text)
	}
	return nil
}
