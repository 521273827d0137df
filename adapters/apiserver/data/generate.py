#!/usr/bin/env python3
"""Writes resources.txt and types.txt from the `api` folder of a Kubernetes source tree.

usage: generate.py PATH/TO/kubernetes/api PATH/TO/GO/SOURCES...

The Go sources (k8s.io/api, apimachinery, apiextensions-apiserver, kube-aggregator) tell which fields are written although
they are absent, and which are dropped although they are given: the wire format goes through those structs.

resources.txt: one resource a line, tab separated:
    group version plural singular Kind scope shortNames categories verbs subresources(name:group/version/Kind:verbs) type
types.txt: one definition a line: `Name flags field type field type ...`, see src/types/builtin.rs.
"""
import glob, json, os, re, sys

API = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
SKIP_GROUPS = {"internal.apiserver.k8s.io", "storagemigration.k8s.io", "certificates.k8s.io", "resource.k8s.io"}

schemas, paths = {}, {}
for path in sorted(glob.glob(API + "/openapi-spec/v3/*.json")):
    doc = json.load(open(path))
    schemas.update(doc["components"].get("schemas", {}))
swagger = json.load(open(API + "/openapi-spec/swagger.json"))

# The published v3 documents leave some patch strategies out; the v2 document has them all.
for name, definition in swagger["definitions"].items():
    target = schemas.get(name)
    if not target:
        continue
    for field, prop in definition.get("properties", {}).items():
        if field in target.get("properties", {}):
            for key, value in prop.items():
                if key.startswith("x-kubernetes-"):
                    target["properties"][field].setdefault(key, value)

# (package version folder, struct) -> json name -> (go type, options)
go = {}
FIELD = re.compile(r'^\t(\w+\s+)?([\w.*\[\]]+)\s+`([^`]*)`')
# (package version folder, struct) -> json name or inlined struct -> number in the binary format
wire = {}
for root in sys.argv[2:]:
    for path in glob.glob(root + "/**/types*.go", recursive=True):
        folder = "/".join(os.path.dirname(path).split("/")[-2:])
        current = None
        for text in open(path):
            start = re.match(r"^type (\w+) struct \{", text)
            if start:
                struct = start.group(1)
                current = go.setdefault((folder, start.group(1)), {})
            elif text.startswith("}"):
                current = None
            elif current is not None:
                found = FIELD.match(text)
                tag = found and re.search(r'json:"([^"]*)"', found.group(3))
                if tag:
                    name, *options = tag.group(1).split(",")
                    number = re.search(r'protobuf:"\w+,(\d+)', found.group(3))
                    if name and name != "-":
                        current[name] = (found.group(2), options)
                    if number:
                        place = name if name else "<" + found.group(2).split(".")[-1]
                        wire.setdefault((folder, struct), {})[place] = number.group(1)

def numbers(full, field):
    """The numbers that lead to a field in the binary format, through the structs that JSON inlines."""
    parts = full.split(".")
    return path_in("/".join(parts[-3:-1]), parts[-1], field, 0)

def path_in(folder, struct, field, depth):
    own = wire.get((folder, struct), {})
    if field in own:
        return own[field]
    for place, number in own.items():
        if place.startswith("<") and depth < 4:
            below = path_in(folder, place[1:], field, depth + 1)
            if below:
                return number + "/" + below
    return None

def field_in(folder, struct, field, depth):
    """The Go type and JSON options of a field, also of structs that JSON inlines."""
    own = go.get((folder, struct), {})
    if field in own:
        return own[field]
    for place in wire.get((folder, struct), {}):
        if place.startswith("<") and depth < 4:
            below = field_in(folder, place[1:], field, depth + 1)
            if below[0]:
                return below
    return (None, None)

def presence(full, field, code):
    """`d`: dropped when empty; `z`: written as its zero when absent; `n`: written as null when absent."""
    parts = full.split(".")
    kind, options = field_in("/".join(parts[-3:-1]), parts[-1], field, 0)
    if kind is None or kind.startswith("*") or "omitzero" in options:
        return ""
    optional = "omitempty" in options
    if code in ("q", "I", "*"):
        return ""
    if kind.startswith("[]") or kind.startswith("map") or code.startswith(("[", "{")):
        return "d" if optional else "n"
    if code == "T":
        return "n"
    if code[0].isupper():
        return "z"
    return "d" if optional else "z"

names, taken = {}, {}
def short(full):
    if full in names:
        return names[full]
    parts = full.split(".")
    base = parts[-1]
    if base in taken.values():
        base = parts[-3].capitalize() + parts[-2].capitalize() + parts[-1]
    assert base not in taken.values(), full
    names[full] = base
    taken[full] = base
    return base

SCALARS = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "q",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "I",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "T",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "T",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "*",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "*",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "*",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": "*",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": "*",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": "*",
}
queue = []

def ref(prop):
    r = prop.get("$ref")
    if not r and len(prop.get("allOf", [])) == 1:
        r = prop["allOf"][0].get("$ref")
    return r and r.split("/")[-1]

def type_of(prop):
    r = ref(prop)
    if r:
        if r in SCALARS:
            return SCALARS[r]
        queue.append(r)
        atomic = prop.get("x-kubernetes-map-type") == "atomic"
        return short(r) + ("!" if atomic else "")
    if "oneOf" in prop:
        return "I" if prop.get("format") == "int-or-string" else "q"
    t = prop.get("type")
    if t == "string":
        return {"date-time": "T", "byte": "B"}.get(prop.get("format"), "s")
    if t == "integer":
        return "l" if prop.get("format") == "int64" else "i"
    if t == "number":
        return "d"
    if t == "boolean":
        return "b"
    if t == "array":
        kind = prop.get("x-kubernetes-list-type", "atomic")
        item = type_of(prop["items"])
        if kind == "map":
            return "[" + ",".join(prop["x-kubernetes-list-map-keys"]) + ":" + item + "]"
        return "[" + ("=" if kind == "set" else "") + item + "]"
    if t == "object" or t is None:
        if "additionalProperties" in prop:
            atomic = prop.get("x-kubernetes-map-type") == "atomic"
            return "{" + ("!" if atomic else "") + type_of(prop["additionalProperties"]) + "}"
        return "*"
    raise SystemExit(f"unknown type {prop}")

def line(full):
    d = schemas[full]
    flags = "!" if d.get("x-kubernetes-map-type") == "atomic" else "-"
    out = [short(full), flags]
    required = set(d.get("required", []))
    for field, prop in sorted(d.get("properties", {}).items()):
        t = type_of(prop)
        strategy = prop.get("x-kubernetes-patch-strategy", "")
        key = prop.get("x-kubernetes-patch-merge-key", "")
        suffix = ""
        if strategy or key:
            suffix = "~" + ("r" if "retainKeys" in strategy else "") + ("m" if "merge" in strategy.split(",") else "") + (":" + key if key else "")
        default = prop.get("default")
        if isinstance(default, (str, bool, int)) and default != "" and default is not False and default != 0:
            suffix += "?" + (default if isinstance(default, str) else json.dumps(default))
        mark = presence(full, field, t)
        number = numbers(full, field)
        out += [("+" if field in required else "") + field, t + ("^" + mark if mark else "") + suffix + ("#" + number if number else "")]
    return " ".join(out)

resources, roots = [], []
discovery = json.load(open(API + "/discovery/aggregated_v2.json"))
core = {"metadata": {"name": ""}, "versions": [{"version": "v1", "resources": None}]}
legacy = json.load(open(API + "/discovery/api__v1.json"))["resources"]
flat = [("", "v1", r) for r in legacy]
for item in discovery["items"]:
    group = item["metadata"].get("name", "")
    if group == "" or group in SKIP_GROUPS:
        continue
    for version in item["versions"]:
        v = version["version"]
        if "alpha" in v or "beta" in v or (group, v) == ("autoscaling", "v1"):
            continue
        file = f"{API}/discovery/apis__{group}__{v}.json"
        flat += [(group, v, r) for r in json.load(open(file))["resources"]]

kinds = {}
for full, d in schemas.items():
    for gvk in d.get("x-kubernetes-group-version-kind", []):
        if "properties" in d and "metadata" in d["properties"] and "DeleteOptions" not in full:
            kinds.setdefault((gvk["group"], gvk["version"], gvk["kind"]), full)

main = {}
for group, v, r in flat:
    if "/" in r["name"]:
        plural, sub = r["name"].split("/", 1)
        entry = main.get((group, v, plural))
        if entry is not None:
            gvk = f'{r.get("group", "")}/{r.get("version", "")}/{r["kind"]}'
            entry["subs"].append(f'{sub}:{gvk}:{",".join(sorted(r["verbs"]))}')
            k = (r.get("group", group), r.get("version", v), r["kind"])
            if k in kinds:
                queue.append(kinds[k])
                roots.append((k, kinds[k]))
        continue
    full = kinds[(group, v, r["kind"])]
    queue.append(full)
    main[(group, v, r["name"])] = entry = {"subs": []}
    resources.append((group, v, r, entry, full))

for full in ["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]:
    short(full); queue.append(full)
lines, done = [], set()
while queue:
    full = queue.pop(0)
    if full in done:
        continue
    done.add(full)
    lines.append(line(full))

with open(HERE + "/types.txt", "w") as f:
    f.write("\n".join(sorted(lines)) + "\n")
with open(HERE + "/resources.txt", "w") as f:
    for group, v, r, entry, full in resources:
        f.write("\t".join([group or "-", v, r["name"], r["singularName"], r["kind"], "N" if r["namespaced"] else "C",
            ",".join(r.get("shortNames", [])) or "-", ",".join(r.get("categories", [])) or "-", ",".join(sorted(r["verbs"])),
            " ".join(entry["subs"]) or "-", short(full)]) + "\n")
