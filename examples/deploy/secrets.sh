#!/bin/sh
# Makes the files that docker-compose.yml takes its secrets from. What is there already stays as it is.
#
#   examples/deploy/secrets.sh [FOLDER]    # default: `secrets`, beside docker-compose.yml
set -eu
umask 022
folder=${1:-$(dirname "$0")/../../secrets}
# Nobody else comes into the folder; within containers, where the files are mounted, others than their owner read them.
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

password() { # file
  [ -e "$1" ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$1"
}
environment() { # file, role, more lines
  [ -e "$1" ] || printf 'DATABASE_URL=postgres://%s:%s@postgres:5432/durable_agents\n%s' \
    "durable_agents_$2" "$(cat "$2-password")" "${3:-}" >"$1"
}

password postgres-password
password owner-password
password worker-password
environment owner.env owner
environment server.env worker
environment worker.env worker "# The model: see docs/guide/models.md.
LLM_MODEL=
LLM_API_KEY=
LLM_BASE_URL=
"
ls -l
