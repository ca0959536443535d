// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	fieldvalidation "k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// Rules are the rules of a CustomResourceDefinition: its schema, and its CEL expressions. The API
// server's own code applies them, so that no manifest is written that the API server would refuse.
type Rules struct {
	values validation.SchemaValidator
	cel    *cel.Validator
	schema *schema.Structural
}

// NewRules reads the rules from a CustomResourceDefinition with one version.
func NewRules(definition []byte) (*Rules, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(definition, &crd); err != nil {
		return nil, fmt.Errorf("read the CustomResourceDefinition: %w", err)
	}
	properties := &apiextensions.JSONSchemaProps{}
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		crd.Spec.Versions[0].Schema.OpenAPIV3Schema, properties, nil)
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", crd.Name, err)
	}
	made := &Rules{}
	if made.schema, err = schema.NewStructural(properties); err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", crd.Name, err)
	}
	if made.values, _, err = validation.NewSchemaValidator(properties); err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", crd.Name, err)
	}
	made.cel = cel.NewValidator(made.schema, true, celconfig.PerCallLimit)
	return made, nil
}

func (r *Rules) check(ctx context.Context, line int, made Manifest) error {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&made.object)
	if err != nil {
		return mistake(line, "%v", err)
	}
	var broken LineErrors
	for _, one := range r.broken(ctx, object) {
		broken = append(broken, &LineError{line, one.Error()})
	}
	return broken.err()
}

// broken evaluates the expressions only if the schema holds, as the API server does.
func (r *Rules) broken(ctx context.Context, object map[string]any) fieldvalidation.ErrorList {
	if broken := validation.ValidateCustomResource(nil, object, r.values); len(broken) > 0 {
		return broken
	}
	broken, _ := r.cel.Validate(ctx, nil, r.schema, object, nil, celconfig.RuntimeCELCostBudget)
	return broken
}
