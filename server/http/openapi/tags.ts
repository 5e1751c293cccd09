/** The tags of the OpenAPI document, in its order: the areas of the API. */
const tags: Readonly<Record<string, string>> = {
  probes: "Liveness and readiness of the process, without a token",
  session: "What a token may do",
  system: "The Host as a whole: status, readiness, reload and restart",
  events: "The event log, as a stream and as pages",
  endpoints: "Platform accounts and their connections",
  inbox: "Received events, and their handlers",
  outbox: "Outgoing messages, and their state",
  timers: "Plugins' timers that are waiting, held or failed",
  messages: "Counts of received and sent messages",
  users: "The stored data of one user: export it, or forget it",
  permissions: "Who may do what in chat, and by which rule",
  ingress: "The switch in front of all side effects",
  plugins: "Plugin instances, and the routes that they publish",
  generations: "Committed configurations, their changes, and rollback",
  config: "The running configuration",
  workroom: "Work items, and the Journal of their changes",
  calendar: "When jobs are due, day by day",
  jobs: "Scheduled jobs",
  runs: "Runs of jobs and of agents",
  agents: "Bindings of AI agents: their state, and requests to them",
  approvals: "Requests for a person's approval of an agent's tool call",
  checkpoints: "Restore points: made, verified, pruned",
  releases: "The steps of a release",
  alerts: "Active alerts, and where they were sent",
  database: "Capacity of the database",
  logs: "Log records",
  metrics: "Metrics for Prometheus",
  hooks: "Webhooks of platforms, under the platform's own signature",
  pages: "Pages of plugins, for anyone, where the configuration lists them",
  status: "The public status page, where the configuration has labels for it",
  satori: "Satori v1",
  mcp: "The Model Context Protocol",
  console: "The console in a browser",
  openapi: "This document",
}

/** The tag of a route, from its path without `http.base`. */
export const tagOf = (path: string): string => {
  const [area = "", part = ""] = path.split(/[/.]/).filter(each => each !== "")
  if (area === "pub") return "probes"
  return area === "api" ? part : area
}

/** Sorts routes by their tags, in the order of the document. `ownPath` returns a path without `http.base`. */
export const byTag = <T>(routes: readonly T[], ownPath: (route: T) => string): readonly T[] => {
  const order = Object.keys(tags)
  const placeOf = (route: T) => order.indexOf(tagOf(ownPath(route)))
  return routes.toSorted((one, other) => placeOf(one) - placeOf(other))
}

export const describeTags = (used: ReadonlySet<string>) =>
  Object.entries(tags)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({name, description}))
