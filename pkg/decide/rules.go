// SPDX-License-Identifier: Apache-2.0

package decide

// Rule checks one thing about an input. It returns a decision, or nil to let the next rule decide.
type Rule[I any] func(in I) *Decision

// First returns the decision of the first rule that has one; nil if none has.
func First[I any](in I, rules []Rule[I]) *Decision {
	for _, rule := range rules {
		if decision := rule(in); decision != nil {
			return decision
		}
	}
	return nil
}

// Common adapts a rule that applies to objects of every kind to the input of one kind.
func Common[I interface{ common() *Input }](rule Rule[*Input]) Rule[I] {
	return func(in I) *Decision { return rule(in.common()) }
}

// common returns what the input of each kind has, because it embeds this one.
func (in *Input) common() *Input { return in }
