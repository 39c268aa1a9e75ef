#!/bin/sh
# Prettier over the page's sources, where Node and its packages are; nothing else of the project needs them.
cd "$(dirname "$0")" || exit 1
if ! command -v node >/dev/null 2>&1; then
    echo "NOT CHECKED: the format of studio/web (no Node here; to check: install Node 20, npm install, make lint)" >&2
elif [ ! -x node_modules/.bin/prettier ]; then
    echo "NOT CHECKED: the format of studio/web (run npm install in src/gough/studio/web, then make lint)" >&2
else
    npm run --silent lint
fi
