/** What the routes are about: the tags of the OpenAPI document, in its order. */
const tags: Readonly<Record<string, string>> = {
  probes: "Is the process there, and is it ready? For whoever asks, without a token",
  session: "What a token may do",
  system: "The Host as a whole: status, readiness, reload and restart",
  events: "What happens, as a stream and as pages of its history",
  endpoints: "Platform accounts and their connections",
  inbox: "Events that came in, and the handlers that they had",
  outbox: "Messages that go out, and how far they are",
  timers: "What plugins do later: timers that wait, are held or have failed",
  messages: "How many messages came in and went out",
  users: "What is kept of one user: shown, or forgotten",
  permissions: "Who may what in chat, and by which rule",
  ingress: "The switch in front of all side effects",
  plugins: "Plugin instances, and the routes of their own",
  generations: "Configurations that ran: their changes, and back to one of them",
  config: "The configuration that runs",
  workroom: "Work items, and the Journal of what was done with them",
  calendar: "What comes due of all jobs, day by day",
  jobs: "Scheduled jobs",
  runs: "Runs of jobs and of agents",
  agents: "Bindings of AI agents: their state, and what they are asked",
  approvals: "Questions to people whether an agent may call a tool",
  checkpoints: "Restore points: made, verified, pruned",
  releases: "The steps of a release",
  alerts: "What is wrong now, and who was told of it",
  database: "Capacity of the database",
  logs: "Records of the log",
  metrics: "Figures for Prometheus",
  hooks: "Webhooks of platforms, under the platform's own signature",
  pages: "Pages of plugins, for anyone, where the configuration lists them",
  status: "The public status page, where the configuration has labels for it",
  satori: "Satori v1",
  console: "The console in a browser",
  openapi: "This document",
}

/** The tag of a route, from its path without `http.base`. */
export const tagOf = (path: string): string => {
  const [area = "", part = ""] = path.split(/[/.]/).filter(each => each !== "")
  if (area === "pub") return "probes"
  return area === "api" ? part : area
}

/** The tags that are used, each with what it is about. */
export const describeTags = (used: ReadonlySet<string>) =>
  Object.entries(tags)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({name, description}))
