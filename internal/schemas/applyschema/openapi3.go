package applyschema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
)

// version3 converts the schemas of a document of version 3 by the rules of API servers.
func version3(schemas map[string]*definition) (map[string]atom, error) {
	types := map[string]atom{}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		switch d := schemas[name]; {
		case d.ref != "": // another name for a type
		case name == quantity:
			types[name] = atom{scalar: "untyped"}
		case name == rawExtension:
			types[name] = anything(untypedAtomic, "atomic")
		default:
			a, err := d.version3(false)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			types[name] = a
		}
	}
	return types, nil
}

// ref3 returns a reference to the type of the schema. The reference may be the only schema in "allOf", which allows
// other keywords beside it.
func (d *definition) ref3(preserve bool) (typeRef, error) {
	ref := d.ref
	if ref == "" && len(d.allOf) == 1 {
		ref = d.allOf[0].ref
	}
	if _, name := path.Split(ref); name != "" {
		relationship, err := d.mapRelationship()
		return typeRef{named: name, relationship: relationship, nullable: d.nullable}, err
	}
	a, err := d.version3(preserve)
	return typeRef{atom: a, nullable: d.nullable}, err
}

// version3 returns the type described by the schema. If preserve is true, objects may have unknown fields.
func (d *definition) version3(preserve bool) (a atom, err error) {
	preserve = preserve || d.preservesUnknown()
	typ := ""
	if len(d.types) > 0 {
		typ = d.types[0]
	}
	if typ == "" || typ == "object" {
		if a.object, err = d.object3(preserve); err != nil {
			return a, err
		}
	}
	if typ == "" || typ == "array" {
		if a.list, err = d.list3(preserve); err != nil {
			return a, err
		}
	}
	switch typ {
	case "":
		a.scalar = "untyped"
	case "object", "array":
	default:
		var ok bool
		if a, ok = primitive(typ, d.format); !ok {
			err = fmt.Errorf("unknown type %q", typ)
		}
	}
	return a, err
}

func (d *definition) object3(preserve bool) (o *objectAtom, err error) {
	o = &objectAtom{}
	if o.fields, err = d.fields((*definition).ref3, preserve); err != nil {
		return nil, err
	}
	open := preserve || len(d.properties) == 0
	switch {
	case d.values != nil:
		elem, err := d.values.ref3(preserve)
		if err != nil {
			return nil, err
		}
		o.elem = &elem
	case d.additional != nil && *d.additional, d.additional == nil && open:
		o.elem = &typeRef{named: untypedDeduced}
	}
	o.relationship, err = d.mapRelationship()
	return o, err
}

func (d *definition) list3(preserve bool) (l *listAtom, err error) {
	l = &listAtom{elem: typeRef{named: untypedAtomic}}
	switch {
	case d.items != nil:
		if l.elem, err = d.items.ref3(preserve); err != nil {
			return nil, err
		}
	case d.hasItems, len(d.types) > 0 && d.types[0] != "":
		return nil, errors.New("a list must have one schema for its items")
	}
	relationship, keys, err := d.listRelationship()
	l.relationship, l.keys = cmp.Or(relationship, "atomic"), keys
	return l, err
}
