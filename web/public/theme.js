// Before the first paint, so that a chosen theme does not flash. A file of its own, because the page allows no inline script.
try {
  const chosen = localStorage.getItem('offshoot.theme')
  if (chosen === '"light"' || chosen === '"dark"')
    document.documentElement.dataset.theme = chosen.slice(1, -1)
} catch {
  // A browser that keeps nothing follows the system.
}
