# Builds the package from the sources.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --pack-destination /tmp
RUN npm install --prefix /app --no-save /tmp/baton-*.tgz

FROM node:24-bookworm-slim
ENV NODE_ENV=production
# Other machines reach the container: Baton then refuses to start without keys.
ENV HOST=0.0.0.0
ENV PORT=4000
# The files of the embedded PostgreSQL, when DATABASE_URL is not set.
ENV BATON_DATA=/data/baton
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data
WORKDIR /data
VOLUME /data
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --retries=6 CMD node -e "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
ENTRYPOINT ["node", "/app/node_modules/baton/lib/baton.js"]
CMD ["start"]
