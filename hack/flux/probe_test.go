package flux_test

import _ "github.com/fluxcd/pkg/runtime/cel"
