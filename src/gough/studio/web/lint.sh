#!/bin/sh
# Types, lint, format, line lengths and unit tests of the page's sources, where Node and its packages are; nothing else
# of the project needs them.
cd "$(dirname "$0")" || exit 1
if ! command -v node >/dev/null 2>&1; then
    echo "NOT CHECKED: studio/web (no Node here; to check: install Node 20, npm ci, make lint)" >&2
elif [ ! -x node_modules/.bin/tsc ]; then
    echo "NOT CHECKED: studio/web (run npm ci in src/gough/studio/web, then make lint)" >&2
else
    npm run --silent check
fi
