package model

import (
	"strings"
	"unicode"
)

// irregular lists irregular plurals as singular>plural, or singular>plural/plural. A trailing '!' means that longer
// words with the same ending are regular. A trailing '-' marks a plural shared by two nouns.
const irregular = `
	aircraft>aircraft beef>beef/beefs bison>bison blues>blues- chassis>chassis deer>deer fish>fish/fishes moose>moose
	police>police salmon>salmon/salmons series>series sheep>sheep shrimp>shrimp/shrimps species>species swine>swine/swines
	trout>trout/trouts tuna>tuna/tunas you>you child>children ox>oxen! foot>feet goose>geese man>men human>humans louse>lice!
	mouse>mice tooth>teeth woman>women die>dice! person>people adieu>adieux/adieus fabliau>fabliaux bureau>bureaus/bureaux
	criterion>criteria ganglion>ganglia/ganglions lexicon>lexica/lexicons mitochondrion>mitochondria/mitochondrions
	noumenon>noumena phenomenon>phenomena taxon>taxa media>media medium>media/mediums- stadium>stadiums/stadia
	aquarium>aquaria/aquariums auditorium>auditoria/auditoriums symposium>symposia/symposiums curriculum>curriculums/curricula
	quota>quotas alumnus>alumni/alumnuses bacillus>bacilli cactus>cacti/cactuses coccus>cocci focus>foci/focuses
	locus>loci/locuses nucleus>nuclei/nucleuses octopus>octupuses/octopi radius>radii/radiuses syllabus>syllabi
	corpus>corpora/corpuses genus>genera alumna>alumnae vertebra>vertebrae differentia>differentiae minutia>minutiae vita>vitae
	larva>larvae postcava>postcavae praecava>praecavae uva>uvae apex>apices/apexes codex>codices/codexes index>indices/indexes
	latex>latices/latexes vertex>vertices/vertexes vortex>vortices/vortexes appendix>appendices/appendixes radix>radices/radixes
	helix>helices/helixes axis>axes! crisis>crises ellipsis>ellipses- genesis>geneses oasis>oases thesis>theses testis>testes
	base>bases basis>bases- alias>aliases! vedalia>vedalias use>uses! abuse>abuses cause>causes clause>clauses cruse>cruses
	excuse>excuses fuse>fuses house>houses misuse>misuses muse>muses pause>pauses ache>aches topaz>topazes
	buffalo>buffaloes/buffalos potato>potatoes tomato>tomatoes equipment>equipment information>information jeans>jeans
	money>money news>news rice>rice dwarf>dwarfs/dwarves hoof>hoofs/hooves thief>thieves chive>chives hive>hives move>moves
	movie>movies cookie>cookies pretorium>pretoriums agenda>agendas formula>formulas/formulae shoe>shoes toe>toes!
	graffiti>graffiti ID>IDs!`

// endings lists endings of nouns as singular>plural. The first match counts.
const endings = `
	tive>tives eaf>eaves oaf>oaves afe>aves arf>arves rfe>rves rf>rves lf>lves fe>ves ay>ays ey>eys oy>oys quy>quies uy>uys
	y>ies eau>eaux bula>bulae dula>bulae lula>bulae nula>bulae vula>bulae hedron>hedra ium>ia seum>seums eum>ea oum>oa
	stracum>straca dum>da elum>ela ilum>ila olum>ola ulum>ula llum>lla ylum>yla imum>ima ernum>erna gnum>gna brum>bra crum>cra
	terum>tera serum>sera trum>tra antum>anta atum>ata entum>enta etum>eta itum>ita otum>ota utum>uta ctum>cta ovum>ova
	trix>trices iasis>iases mesis>meses kinesis>kineses resis>reses gnosis>gnoses opsis>opses ysis>yses ouse>ouses lause>lauses
	us>uses ch>ches io>ios sh>shes ss>sses ez>ezzes iz>izzes tz>tzes zz>zzes ano>anos lo>los to>tos oo>oos o>oes x>xes S>Ses`

// ending is a rule that replaces the ending singular by plural.
type ending struct{ singular, plural string }

var (
	plurals   = map[string]string{} // by singular
	isPlural  = map[string]bool{}
	pluralEnd []ending
)

func init() {
	words := strings.Fields(irregular)
	for i := range words {
		word, both := strings.CutSuffix(words[len(words)-1-i], "-")
		word, exact := strings.CutSuffix(word, "!")
		singular, all, _ := strings.Cut(word, ">")
		plural, other, _ := strings.Cut(all, "/")
		plurals[singular] = plural
		if !both {
			isPlural[plural], isPlural[other] = true, true
		}
		if !exact {
			pluralEnd = append(pluralEnd, ending{singular, plural})
		}
	}
	delete(isPlural, "")
	for _, pair := range strings.Fields(endings) {
		singular, plural, _ := strings.Cut(pair, ">")
		pluralEnd = append(pluralEnd, ending{singular, plural})
	}
}

// ManifestPlural returns the plural of a kind in lower case, as controller-gen forms it without a marker for the names
// in a CustomResourceDefinition.
func ManifestPlural(kind string) string {
	if plural, ok := plurals[kind]; ok {
		return strings.ToLower(plural)
	}
	last := lastWord(kind)
	before, lower := kind[:len(kind)-len(last)], strings.ToLower(last)
	if isPlural[kind] || isPlural[lower] {
		return strings.ToLower(kind)
	}
	if plural, ok := plurals[lower]; ok {
		return strings.ToLower(before + plural)
	}
	for _, e := range pluralEnd {
		if strings.HasSuffix(last, e.plural) {
			return strings.ToLower(kind)
		}
		if stem, ok := strings.CutSuffix(last, e.singular); ok {
			return strings.ToLower(before + stem + e.plural)
		}
	}
	if strings.HasSuffix(lower, "s") {
		return strings.ToLower(kind)
	}
	return strings.ToLower(kind) + "s"
}

// lastWord returns the last word of a name whose words begin with capitals.
func lastWord(name string) string {
	start, previous := 0, rune(0)
	for i, c := range name {
		if unicode.IsUpper(c) && !unicode.IsUpper(previous) {
			start = i
		}
		previous = c
	}
	return name[start:]
}
