// Preloaded into a server: prints at each SIGUSR2 what keeps its event loop busy, as JSON.
process.on('SIGUSR2', () => {
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify({ activeResources: counts })}\n`);
});
