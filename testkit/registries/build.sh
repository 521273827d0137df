#!/bin/sh
# Builds the registries that tests start: `build.sh <folder>` leaves `registry` and `in-memory-registry` there. Needs Go
# 1.26 and the Go module proxy; `testkit/components/install registries` calls it and puts the programs where tests look.
set -eu
folder=${1:?name a folder}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")"
export GOFLAGS=-mod=readonly CGO_ENABLED=0
release=$(awk '$1 == "github.com/distribution/distribution/v3" { print $2 }' go.mod)
package=github.com/distribution/distribution/v3/version
go build -trimpath -buildvcs=false -ldflags "-s -w -X $package.version=$release" -o "$folder/registry" ./distribution
go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$folder/in-memory-registry" ./in-memory
