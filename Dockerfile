# One image for every command of durable-agents, with an app of this workspace in it. docs/guide/operating.md shows how it is run.
#
#   docker build --build-arg APP=examples/deploy --tag agents .
#   docker run --rm agents --help

ARG NODE=24.21.0-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /srv
COPY . .
ARG APP=examples/deploy
# Exactly what the lockfile says, for the app and for what it depends on; nothing that only tests and builds need.
RUN CI=true npx -y pnpm@12.21.0 install --frozen-lockfile --prod --no-optional --filter "./${APP}..." --filter "@durable-agents/cli..."

FROM node:${NODE}
ARG APP=examples/deploy
ENV NODE_ENV=production
# Root owns it, so that no process can change what it executes.
COPY --from=build /srv /srv
WORKDIR /srv/${APP}
# `node`, by its number, which Kubernetes can tell from root's.
USER 1000:1000
EXPOSE 8787
STOPSIGNAL SIGTERM
# Of a server. A worker has another one, `/health` of `--metrics`: see docker-compose.yml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:8787/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself gets the signals.
ENTRYPOINT ["node", "/srv/packages/cli/src/main.ts"]
CMD ["worker", "--app", "./src/app.ts"]
