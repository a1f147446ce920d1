package applyschema

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
)

const (
	quantity     = "io.k8s.apimachinery.pkg.api.resource.Quantity"
	rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension"
)

// version2 converts the definitions of a document of version 2 by the rules of applyconfiguration-gen, which differ
// from the rules for version 3. If a definition has features of version 3, the whole document is converted by the rules
// for version 3.
func version2(definitions map[string]*definition) (map[string]atom, error) {
	types := map[string]atom{}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		d := definitions[name]
		a, err := d.version2(false)
		if err != nil || d.later != "" {
			later, laterErr := version3(definitions)
			if laterErr != nil && err != nil {
				laterErr = fmt.Errorf("%s: %w", name, err)
			}
			return later, laterErr
		}
		switch {
		case d.ref != "": // another name for a type
		case name == quantity && a.scalar != "" && a.object == nil:
			types[name] = atom{scalar: "untyped"}
		default:
			types[name] = a
		}
	}
	return types, nil
}

// ref2 returns a reference to the type of the schema.
func (d *definition) ref2(preserve bool) (typeRef, error) {
	a, err := d.version2(preserve)
	if err != nil || d.ref == "" {
		return typeRef{atom: a}, err
	}
	if path.Base(d.ref) == rawExtension {
		return typeRef{named: untypedAtomic}, nil
	}
	relationship, err := d.mapRelationship()
	return typeRef{named: path.Base(d.ref), relationship: relationship}, err
}

// version2 returns the type described by the schema, or the zero atom for a reference. If preserve is true, objects may
// have unknown fields.
func (d *definition) version2(preserve bool) (a atom, err error) {
	if d.ref != "" {
		switch {
		case len(d.properties) > 0 || len(d.types) > 0:
			err = fmt.Errorf("the reference to %s has a type, too", d.ref)
		case d.ref != "#/definitions/"+path.Base(d.ref):
			err = fmt.Errorf("the reference %s is not to one of the definitions", d.ref)
		}
		return a, err
	}
	switch {
	case len(d.types) > 1:
		return a, errors.New("it has several types")
	case len(d.properties) > 0 && (len(d.types) == 0 || d.isObject()):
		a.object, err = d.struct2(preserve)
		return a, err
	case len(d.types) == 0:
		return anything(untypedDeduced, "separable"), nil
	case d.isObject():
		values := &definition{}
		if d.values != nil {
			values = d.values
		}
		elem, err := values.ref2(preserve)
		if err != nil {
			return a, err
		}
		relationship, err := d.mapRelationship()
		return atom{object: &objectAtom{elem: &elem, relationship: relationship}}, err
	case d.types[0] == "array":
		items := d.items
		if items == nil {
			items = &definition{} // a schema for each element
		}
		if !d.hasItems {
			return a, errors.New("a list must have one schema for its items")
		}
		elem, err := items.ref2(preserve)
		if err != nil {
			return a, err
		}
		relationship, keys, err := d.listRelationship()
		return atom{list: &listAtom{elem, relationship, keys}}, err
	}
	a, ok := primitive(d.types[0], d.format)
	if !ok {
		err = fmt.Errorf("unknown type %q", d.types[0])
	}
	return a, err
}

func (d *definition) struct2(preserve bool) (o *objectAtom, err error) {
	o = &objectAtom{}
	preserve = preserve || d.preservesUnknown()
	if preserve {
		o.elem = &typeRef{named: untypedDeduced}
	}
	if o.fields, err = d.fields((*definition).ref2, preserve); err != nil {
		return nil, err
	}
	if o.unions, err = d.unions(); err != nil {
		return nil, err
	}
	o.relationship, err = d.mapRelationship()
	return o, err
}
