// Preloaded into a server: at each SIGUSR2 something throws where nothing catches it, in turn an exception and a rejection.
let signals = 0;
process.on('SIGUSR2', () => {
  signals += 1;
  const error = new Error(`Uncaught ${signals}`);
  if (signals % 2 === 1)
    setImmediate(() => {
      throw error;
    });
  else void Promise.reject(error);
});
