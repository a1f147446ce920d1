package crdschema

import (
	"encoding/base64"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// formats maps the string formats that API servers check, without hyphens, to functions that report whether a text has
// the format. Some of these functions accept more than the elaborate check of a server. nil accepts everything.
var formats = map[string]func(string) bool{
	"byte":        isBase64,
	"cidr":        func(text string) bool { _, _, err := net.ParseCIDR(withoutZeros(text)); return err == nil },
	"date":        func(text string) bool { _, err := time.Parse(time.DateOnly, text); return err == nil },
	"datetime":    isDateTime,
	"duration":    regexp.MustCompile(`[0-9]`).MatchString,
	"email":       func(text string) bool { return strings.Contains(text, "@") },
	"hexcolor":    regexp.MustCompile(`^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`).MatchString,
	"hostname":    func(text string) bool { return text != "" && len(text) <= 255 && !strings.ContainsAny(text, " _/:") },
	"ipv4":        func(text string) bool { return strings.Contains(text, ".") && net.ParseIP(withoutZeros(text)) != nil },
	"ipv6":        func(text string) bool { return strings.Contains(text, ":") && net.ParseIP(text) != nil },
	"k8slongname": model.IsSubdomain,
	"k8sshortname": func(text string) bool {
		return len(text) <= 63 && !strings.Contains(text, ".") && model.IsSubdomain(text)
	},
	"mac":  func(text string) bool { _, err := net.ParseMAC(text); return err == nil },
	"uri":  func(text string) bool { return text != "" && !strings.Contains(text, " ") },
	"uuid": uuid.MatchString,
}

var (
	uuid  = regexp.MustCompile(`(?i)^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$`)
	clock = regexp.MustCompile(`^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`)
	zeros = regexp.MustCompile(`(^|\.)0+([0-9])`)
)

// withoutZeros removes leading zeros, which servers accept, from the numbers of an IPv4 address.
func withoutZeros(address string) string { return zeros.ReplaceAllString(address, "$1$2") }

func isDateTime(text string) bool {
	date, rest, _ := strings.Cut(strings.ToLower(text), "t")
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return false
	}
	m := clock.FindStringSubmatch(rest)
	return m != nil && m[1] <= "23" && m[2] <= "59" && m[3] <= "59"
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil && text != "" && !strings.ContainsAny(text, "\r\n")
}
