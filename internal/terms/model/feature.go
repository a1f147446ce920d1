package model

// Feature is a property that generated code has since some release and that is visible in its text.
type Feature struct {
	Capability Capability // "" for a feature that all supported releases have
	Release    Release    // introduced the feature
	Adds       string     // what callers gain, as the object of a verb; "" if callers notice nothing
	Traces     []Trace
	Omittable  bool // markers can leave it out, so that code lacks it only together with other features of the release
}

// Trace describes where in generated code a Feature is visible.
type Trace struct {
	At    []Evidence // a file is examined if it contains one of these
	Shows Evidence   // the code has the feature if an examined file contains this
}

// In reports whether code generated for client has the feature.
func (f Feature) In(client Client) bool { return f.Capability == "" || client.Has(f.Capability) }

// Features returns all features, ordered by release. The Package of their Evidence is empty.
func Features() []Feature { return features }

var features = []Feature{
	{Release: 31, Adds: "generic clients", Traces: []Trace{{
		At: []Evidence{{Name: "*Interface.Get"}}, Shows: Evidence{Import: client + "gentype"},
	}}},
	{Release: 33, Adds: "contexts for the requests of informers", Traces: []Trace{{
		At: newInformer, Shows: Evidence{Expression: "ListWithContextFunc"},
	}}},
	feature(SchemeTypeConverter, "", Trace{
		At: []Evidence{{Name: "NewTypeConverter"}}, Shows: Evidence{Expression: "NewSchemeTypeConverter"},
	}),
	feature(ExtractFrom, "Extract functions for each subresource", Trace{
		At: []Evidence{{Name: "Extract*Status"}, {Name: "Extract*From"}}, Shows: Evidence{Name: "Extract*From"},
	}),
	feature(WatchListSemantics, "watch-list semantics", Trace{
		At: newInformer, Shows: Evidence{Expression: "ToListWatcherWithWatchListSemantics"},
	}, Trace{
		At: []Evidence{{Name: "NewSimpleClientset"}}, Shows: Evidence{Expression: "IsWatchListSemanticsUnSupported"},
	}),
	feature(FactoryContext, "StartWithContext of informer factories", Trace{
		At: []Evidence{{Name: "sharedInformerFactory"}}, Shows: Evidence{Expression: "StartWithContext"},
	}),
	feature(InformerNames, "names of informers in metrics", Trace{
		At: []Evidence{{Name: "sharedInformerFactory"}}, Shows: Evidence{Expression: "InformerName"},
	}),
	feature(TypedInformers, "typed informers", Trace{
		At: []Evidence{{Name: "New?*Informer"}}, Shows: Evidence{Name: "*.TypedInformer"},
	}),
	feature(DiscoveryWithContext, "discovery with contexts", Trace{
		At:    []Evidence{{Expression: "NewDiscoveryClientForConfigAndClient"}, {Expression: "FakeDiscovery"}},
		Shows: Evidence{Expression: "DiscoveryInterfaces"},
	}),
	feature(PlainInlineTag, "", Trace{
		At: []Evidence{
			{Name: "*.TypeMetaApplyConfiguration", Tag: `json:",inline"`}, {Name: "*.TypeMetaApplyConfiguration", Tag: `json:""`},
		},
		Shows: Evidence{Name: "*.TypeMetaApplyConfiguration", Tag: `json:""`},
	}),
	feature(MergeDiffV7, "", Trace{
		At: []Evidence{{Name: "Parser"}}, Shows: Evidence{Import: mergeDiff + "v7/typed"},
	}),
	{
		Capability: DeleteWithResult, Release: DeleteWithResult.Since(), Adds: "DeleteWithResult of clients", Omittable: true,
		Traces: []Trace{{At: []Evidence{{Name: "*Interface.Delete"}}, Shows: Evidence{Name: "*.DeleteWithResult"}}},
	},
	feature(ConfiguredSerializer, "the serializer of a rest.Config", Trace{
		At: []Evidence{{Expression: "WithoutConversion"}}, Shows: Evidence{Expression: "config.NegotiatedSerializer == nil"},
	}),
	feature(ShardSelectors, "shard selectors of informers", Trace{
		At: []Evidence{{Name: "sharedInformerFactory"}}, Shows: Evidence{Name: "WithShardSelector"},
	}),
}

// newInformer lists the calls that create informers.
var newInformer = []Evidence{{Expression: "NewSharedIndexInformer"}, {Expression: "NewSharedIndexInformerWithOptions"}}

func feature(c Capability, adds string, traces ...Trace) Feature {
	return Feature{Capability: c, Release: c.Since(), Adds: adds, Traces: traces}
}
