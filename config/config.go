// SPDX-License-Identifier: Apache-2.0

// Package config embeds the manifests of an installation, so that each program has those of its own
// version.
package config

import "embed"

// Manifests are the CustomResourceDefinitions and the admission policies.
//
//go:embed crd/bases/*.yaml policy/*.yaml
var Manifests embed.FS
