// Before the first paint, so that nobody sees the other theme flash by.
try {
  const theme = localStorage.getItem('baton.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's theme it is.
}
