package consistency

import (
	"strconv"
)

// parse returns a resource version as a number, or 0 if it is not a number. The versions of Kubernetes are positive
// and have no leading zeros (KEP-5504).
func parse(version string) uint64 {
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil || version[0] == '0' {
		return 0
	}
	return number
}

func format(version uint64) string {
	if version == 0 {
		return ""
	}
	return strconv.FormatUint(version, 10)
}
