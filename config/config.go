// SPDX-License-Identifier: Apache-2.0

// Package config gives programs the manifests of an installation that belong to their version.
package config

import "embed"

// Manifests are the CustomResourceDefinitions and the admission policies.
//
//go:embed crd/bases/*.yaml policy/*.yaml
var Manifests embed.FS
