import type {Component} from "svelte"
import Overview from "./pages/Overview.svelte"

type Loaded = Promise<{readonly default: Component}>

const others: Readonly<Record<string, () => Loaded>> = {
  metrics: () => import("./pages/Metrics.svelte"),
  events: () => import("./pages/Events.svelte"),
  endpoints: () => import("./pages/Endpoints.svelte"),
  inbox: () => import("./pages/Inbox.svelte"),
  outbox: () => import("./pages/Outbox.svelte"),
  workroom: () => import("./pages/Workroom.svelte"),
  jobs: () => import("./pages/Jobs.svelte"),
  agents: () => import("./pages/Agents.svelte"),
  plugins: () => import("./pages/Plugins.svelte"),
  generations: () => import("./pages/Generations.svelte"),
  operations: () => import("./pages/Operations.svelte"),
  config: () => import("./pages/Config.svelte"),
  permissions: () => import("./pages/Permissions.svelte"),
  chat: () => import("./pages/Chat.svelte"),
}

/** Returns the page at a path. The first page is part of the console; the others load on demand. */
export const loadPage = (path: string): Component | Promise<Component> => {
  const load = others[path]
  return load === undefined ? Overview : load().then(module => module.default)
}
