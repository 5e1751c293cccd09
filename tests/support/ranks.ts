/** A folder imports itself and lower ranks; folders of one rank do not see each other. */
export const ranks: Readonly<Record<string, number>> = {
  shared: 0,
  "server/version.ts": 0,
  "server/runtime": 1,
  "server/config": 1,
  "server/database": 1,
  "server/logs": 1,
<<<<<<< HEAD
  "server/events": 2,
=======
  "server/metrics": 1,
>>>>>>> 0a94ee4 (Metrics: one table, counted plainly, rendered for Prometheus at GET /api/metrics)
  "server/capabilities": 3,
  "server/plugins": 4,
  "server/messages": 4,
  "server/generation": 5,
  "server/readiness": 8,
  "server/console": 9,
  "server/satori": 9,
  "server/http": 10,
  "server/host": 11,
  "server/process": 11,
  "server/doctor": 12,
  cli: 13,
}
