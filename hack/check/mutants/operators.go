// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// place is a node of the syntax tree.
type place struct {
	node  ast.Node
	above []ast.Node // its ancestors, from the file down
	info  *types.Info
}

// change is the replacement that an operator makes for a piece of code.
type change struct {
	operator string // what it does, after "this mutant"
	from, to token.Pos
	becomes  string // "%s" is replaced with the original piece
}

const (
	removes   = "removes the statement"
	negates   = "negates the condition"
	inverts   = "negates the result"
	returnNil = "returns nil"
	dropsNot  = "drops the !"
	raises    = "raises the number by one"
	lowers    = "lowers the number by one"
	doubles   = "doubles the duration"

	dropsOperand = "drops an operand"
	dropsElement = "drops an element"
	dropsTarget  = "drops one of the assignments"
)

// operators returns all operators. Each returns the changes it can make at a place.
func operators() []func(place) []change {
	return []func(place) []change{
		place.negated, place.inverted, place.swapped, place.flipped, place.unnegated, place.removed,
		place.returningNil, place.counted, place.doubled, place.withoutOperand, place.withoutElement, place.withoutTarget,
	}
}

// parent returns the ancestor the given number of levels up, nil if there is none.
func (p place) parent(up int) ast.Node {
	if up > len(p.above) {
		return nil
	}
	return p.above[len(p.above)-up]
}

// wholly returns a change of the whole node.
func wholly(node ast.Node, operator, becomes string) []change {
	return []change{{operator, node.Pos(), node.End(), becomes}}
}

// negated negates the condition of an if, a case of a switch without a tag, or a loop.
func (p place) negated() []change {
	var conditions []ast.Expr
	switch node := p.node.(type) {
	case *ast.IfStmt:
		conditions = append(conditions, node.Cond)
	case *ast.ForStmt:
		if node.Cond != nil {
			conditions = append(conditions, node.Cond)
		}
	case *ast.CaseClause:
		if choice, ok := p.parent(2).(*ast.SwitchStmt); ok && choice.Tag == nil { //nolint:mnd // above the block
			conditions = node.List
		}
	}
	return p.negations(negates, conditions)
}

// inverted negates a returned boolean.
func (p place) inverted() []change {
	returned, ok := p.node.(*ast.ReturnStmt)
	if !ok {
		return nil
	}
	truths := slices.DeleteFunc(slices.Clone(returned.Results), func(result ast.Expr) bool {
		basic, ok := types.Unalias(p.info.TypeOf(result)).(*types.Basic)
		return !ok || basic.Info()&types.IsBoolean == 0
	})
	return p.negations(inverts, truths)
}

// negations returns the negations of the expressions that no other operator negates.
func (p place) negations(operator string, all []ast.Expr) []change {
	var found []change
	for _, one := range all {
		if !p.negatedOtherwise(ast.Unparen(one)) {
			found = append(found, change{operator, one.Pos(), one.End(), "!(%s)"})
		}
	}
	return found
}

// negatedOtherwise reports whether another operator negates an expression: a comparison by == or
// !=, a negation, or a constant.
func (p place) negatedOtherwise(one ast.Expr) bool {
	switch one := one.(type) {
	case *ast.BinaryExpr:
		return one.Op == token.EQL || one.Op == token.NEQ
	case *ast.UnaryExpr:
		return one.Op == token.NOT
	}
	return p.info.Types[one].Value != nil
}

// swapped replaces a logical or comparison operator with another one.
func (p place) swapped() []change {
	node, ok := p.node.(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	for _, pair := range [][2]token.Token{
		{token.LAND, token.LOR}, {token.LSS, token.LEQ}, {token.GTR, token.GEQ}, {token.EQL, token.NEQ},
	} {
		if i := slices.Index(pair[:], node.Op); i >= 0 {
			was, becomes := node.Op.String(), pair[1-i].String()
			end := node.OpPos + token.Pos(len(was))
			return []change{{"replaces " + was + " by " + becomes, node.OpPos, end, becomes}}
		}
	}
	return nil
}

// flipped replaces true with false and false with true.
func (p place) flipped() []change {
	node, ok := p.node.(*ast.Ident)
	if !ok {
		return nil
	}
	switch p.info.Uses[node] {
	case types.Universe.Lookup("true"):
		return wholly(node, "replaces true by false", "false")
	case types.Universe.Lookup("false"):
		return wholly(node, "replaces false by true", "true")
	}
	return nil
}

// unnegated removes a negation.
func (p place) unnegated() []change {
	node, ok := p.node.(*ast.UnaryExpr)
	if !ok || node.Op != token.NOT {
		return nil
	}
	return []change{{dropsNot, node.OpPos, node.OpPos + 1, ""}}
}

// removed removes an assignment or a call from a block.
func (p place) removed() []change {
	switch p.parent(1).(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return nil
	}
	switch node := p.node.(type) {
	case *ast.AssignStmt:
		if node.Tok != token.DEFINE {
			return wholly(node, removes, "")
		}
	case *ast.ExprStmt, *ast.IncDecStmt:
		return wholly(node, removes, "")
	}
	return nil
}

// returningNil replaces a result with nil where another return statement of the function has nil.
func (p place) returningNil() []change {
	returned, ok := p.node.(*ast.ReturnStmt)
	if !ok {
		return nil
	}
	others := returnsOf(p.function())
	var found []change
	for i, result := range returned.Results {
		if !p.isNil(result) && slices.ContainsFunc(others, func(other *ast.ReturnStmt) bool {
			return len(other.Results) == len(returned.Results) && p.isNil(other.Results[i])
		}) {
			found = append(found, wholly(result, returnNil, "nil")...)
		}
	}
	return found
}

func (p place) isNil(expression ast.Expr) bool { return p.info.Types[expression].IsNil() }

// function returns the body of the function that contains the place.
func (p place) function() *ast.BlockStmt {
	for _, node := range slices.Backward(p.above) {
		switch node := node.(type) {
		case *ast.FuncDecl:
			return node.Body
		case *ast.FuncLit:
			return node.Body
		}
	}
	return nil
}

// returnsOf returns the return statements of a function, without those of nested functions.
func returnsOf(body *ast.BlockStmt) []*ast.ReturnStmt {
	var found []*ast.ReturnStmt
	ast.Inspect(body, func(node ast.Node) bool {
		if returned, ok := node.(*ast.ReturnStmt); ok {
			found = append(found, returned)
		}
		_, inner := node.(*ast.FuncLit)
		return !inner
	})
	return found
}

// counted changes an integer by one. Durations are doubled instead: a nanosecond has no effect.
func (p place) counted() []change {
	node, ok := p.node.(*ast.BasicLit)
	if !ok || node.Kind != token.INT || p.inDuration() {
		return nil
	}
	number, err := strconv.ParseInt(node.Value, 0, 64)
	if err != nil {
		return nil
	}
	return append(wholly(node, raises, fmt.Sprint(number+1)), wholly(node, lowers, fmt.Sprint(number-1))...)
}

// inDuration reports whether a place is, or is part of, a constant duration.
func (p place) inDuration() bool {
	for _, node := range append(slices.Clone(p.above), p.node) {
		if expression, ok := node.(ast.Expr); ok && isDuration(p.info.Types[expression]) {
			return true
		}
	}
	return false
}

// doubled doubles a constant duration, but not its parts.
func (p place) doubled() []change {
	node, ok := p.node.(ast.Expr)
	if !ok || !isDuration(p.info.Types[node]) || constant.Sign(p.info.Types[node].Value) == 0 {
		return nil
	}
	if above, ok := p.parent(1).(ast.Expr); ok && isDuration(p.info.Types[above]) {
		return nil
	}
	return wholly(node, doubles, "2*(%s)")
}

// isDuration reports whether an expression is a constant duration.
func isDuration(known types.TypeAndValue) bool {
	return known.Value != nil && known.Type.String() == "time.Duration"
}

// withoutOperand drops either operand of a logical operator.
func (p place) withoutOperand() []change {
	node, ok := p.node.(*ast.BinaryExpr)
	if !ok || node.Op != token.LAND && node.Op != token.LOR {
		return nil
	}
	return []change{
		{dropsOperand, node.X.Pos(), node.Y.Pos(), ""},
		{dropsOperand, node.X.End(), node.Y.End(), ""},
	}
}

// withoutElement drops an element of a composite literal, or a value of a case that has several.
func (p place) withoutElement() []change {
	var list []ast.Expr
	switch node := p.node.(type) {
	case *ast.CompositeLit:
		list = node.Elts
		if len(list) == 1 {
			return []change{{dropsElement, node.Lbrace + 1, node.Rbrace, ""}}
		}
	case *ast.CaseClause:
		if list = node.List; len(list) == 1 {
			return nil
		}
	}
	var found []change
	for i, one := range list {
		if i < len(list)-1 {
			found = append(found, change{dropsElement, one.Pos(), list[i+1].Pos(), ""})
		} else {
			found = append(found, change{dropsElement, list[i-1].End(), one.End(), ""})
		}
	}
	return found
}

// withoutTarget drops one of several assignments in a statement.
func (p place) withoutTarget() []change {
	node, ok := p.node.(*ast.AssignStmt)
	if !ok || node.Tok == token.DEFINE || len(node.Lhs) == 1 {
		return nil
	}
	var found []change
	for _, one := range node.Lhs {
		found = append(found, wholly(one, dropsTarget, "_")...)
	}
	return found
}
