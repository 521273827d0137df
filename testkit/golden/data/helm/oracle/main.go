// Answers what Masterminds/semver says. A question is a line: a version, a constraint, or a pair, as a JSON array of
// ["v", version], ["c", constraint] or ["p", constraint, version]; the answer is a line of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/Masterminds/semver/v3"
)

func text(err error) any {
	return map[string]any{"error": err.Error()}
}

func version(v *semver.Version) any {
	return []any{v.String(), v.Original(), v.Major(), v.Minor(), v.Patch(), v.Prerelease(), v.Metadata()}
}

func pair(constraint, against string) any {
	v, err := semver.NewVersion(against)
	if err != nil {
		return text(err)
	}
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		return text(err)
	}
	ok, errs := c.Validate(v)
	reasons := []string{}
	for _, e := range errs {
		reasons = append(reasons, e.Error())
	}
	return []any{c.Check(v), ok, reasons}
}

func answer(question []string) any {
	switch question[0] {
	case "v":
		v, err := semver.NewVersion(question[1])
		if err != nil {
			return text(err)
		}
		return version(v)
	case "c":
		c, err := semver.NewConstraint(question[1])
		if err != nil {
			return text(err)
		}
		return c.String()
	case "p":
		return pair(question[1], question[2])
	case "o":
		a, err := semver.NewVersion(question[1])
		if err != nil {
			return text(err)
		}
		b, err := semver.NewVersion(question[2])
		if err != nil {
			return text(err)
		}
		return a.Compare(b)
	}
	return nil
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var question []string
		if err := json.Unmarshal(in.Bytes(), &question); err != nil {
			panic(err)
		}
		if err := encoder.Encode(answer(question)); err != nil {
			panic(err)
		}
	}
}
