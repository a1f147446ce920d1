package crdvalidation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/place"
)

// Validate returns the errors of an API server for the creation of the CustomResourceDefinitions in files and
// directories, which are read as in [Read]. It returns nil if the server would accept all of them. CEL rules are
// compiled, and their costs estimated. Each error of a server is an *[Error]. Several errors are joined as by
// [errors.Join], in the order of the file.
func Validate(paths ...string) error {
	var problems []error
	err := each(paths, func(definition *Definition) error {
		problems = append(problems, definition.validate()...)
		return nil
	})
	return errors.Join(append(problems, err)...)
}

// Validate is like the function Validate, for one definition.
func (d *Definition) Validate() error { return errors.Join(d.validate()...) }

// validate returns the errors in the order of the file.
func (d *Definition) validate() (problems []error) {
	internal, err := internalVersion(d.CustomResourceDefinition)
	if err != nil {
		return []error{d.At("", err)}
	}
	var located []*Error
	creation.PrepareForCreate(context.Background(), internal)
	for _, err := range creation.Validate(context.Background(), internal) {
		at := &Error{File: d.File, Definition: d.Name, Err: err}
		at.Line, at.Column = d.Locate(err.Field)
		located = append(located, at)
	}
	slices.SortStableFunc(located, func(x, y *Error) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column), cmp.Compare(x.Err.Error(), y.Err.Error()))
	})
	for _, err := range located {
		problems = append(problems, err)
	}
	return problems
}

// creation is what a server does with a definition that is created.
var creation = customresourcedefinition.NewStrategy(scheme)

// Warnings returns the warnings of an API server for the creation of the definition, such as those about formats that
// it does not know.
func (d *Definition) Warnings() []string {
	internal, err := internalVersion(d.CustomResourceDefinition)
	if err != nil {
		return nil // Validate returns it
	}
	return creation.WarningsOnCreate(context.Background(), internal)
}

// Error is an error of [Validate] with its position.
type Error struct {
	File         string
	Line, Column int // from 1; position of the innermost enclosing field if the field is missing
	Definition   string
	Err          *field.Error
}

// Error returns the position, in the form file:line:column, and the error of the server.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, shortened(e.Err))
}

func (e *Error) Unwrap() error { return e.Err }

// shortened removes the value from an error if the value is a part of the schema, which would fill the screen.
func shortened(err *field.Error) *field.Error {
	switch err.BadValue.(type) {
	case string, bool, int, int64, float64, *string, *bool, *int64, *float64, []string, nil:
		return err
	}
	short := *err
	short.BadValue = field.OmitValueType{}
	return &short
}

// At returns an error with the place of a field, as by Locate.
func (d *Definition) At(path string, err error) error {
	line, column := d.Locate(path)
	return &place.Error{File: d.File, Line: line, Column: column, Err: err}
}

// Locate returns the line and column of a field with a path such as spec.versions[0].schema, or of the innermost
// enclosing field that exists. For fields of a single version, or of equal versions, servers use the names of
// apiextensions.k8s.io/v1beta1.
func (d *Definition) Locate(path string) (line, column int) {
	if d.node == nil {
		return 1, 1
	}
	for _, name := range [][2]string{
		{"spec.validation.", "spec.versions[0].schema."}, {"spec.subresources.", "spec.versions[0].subresources."},
		{"spec.additionalPrinterColumns[", "spec.versions[0].additionalPrinterColumns["},
		{"spec.selectableFields[", "spec.versions[0].selectableFields["},
	} {
		if rest, ok := strings.CutPrefix(path, name[0]); ok {
			path = name[1] + rest
		}
	}
	_, value := place.Find(d.node, path)
	return value.Line, value.Column
}
