#!/bin/sh
# Builds the oracle into the components' folder: `build.sh [folder]`, by default ~/.cache/convoy-components/bin.
# Needs Go 1.26 and the Go module proxy; does nothing when the binary is newer than its sources.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:-${CONVOY_COMPONENTS_DIR:-$HOME/.cache/convoy-components}/bin}
mkdir -p "$bin"
if [ -x "$bin/yaml-oracle" ] && [ -z "$(find "$here" -newer "$bin/yaml-oracle" -type f)" ]; then
    exit 0
fi
cd "$here"
CGO_ENABLED=0 go build -trimpath -o "$bin/yaml-oracle.new" .
mv "$bin/yaml-oracle.new" "$bin/yaml-oracle"
