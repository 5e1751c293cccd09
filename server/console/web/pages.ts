import type {Component} from "svelte"
import Overview from "./pages/Overview.svelte"
import type {IconName} from "./parts/icons.ts"
import {texts} from "./texts.ts"

export interface PageEntry {
  /** The first part of its address; empty for the first page. */
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** True where a demo token can show nothing of it. */
  readonly full?: boolean
  /** The first page comes with the console, the others when they are asked for. */
  readonly load: () => Component | Promise<Component>
}

/** The pages, in the order of the menu. */
export const pages: readonly PageEntry[] = [
  {path: "", title: texts.pages.overview, icon: "overview", load: () => Overview},
  {path: "events", title: texts.pages.events, icon: "events", load: () => lazy(import("./pages/Events.svelte"))},
  {
    path: "endpoints",
    title: texts.pages.endpoints,
    icon: "endpoints",
    load: () => lazy(import("./pages/Endpoints.svelte")),
  },
  {path: "inbox", title: texts.pages.inbox, icon: "inbox", load: () => lazy(import("./pages/Inbox.svelte"))},
  {path: "outbox", title: texts.pages.outbox, icon: "outbox", load: () => lazy(import("./pages/Outbox.svelte"))},
  {
    path: "workroom",
    title: texts.pages.workroom,
    icon: "workroom",
    load: () => lazy(import("./pages/Workroom.svelte")),
  },
  {path: "jobs", title: texts.pages.jobs, icon: "jobs", load: () => lazy(import("./pages/Jobs.svelte"))},
  {path: "plugins", title: texts.pages.plugins, icon: "plugins", load: () => lazy(import("./pages/Plugins.svelte"))},
  {
    path: "generations",
    title: texts.pages.generations,
    icon: "generations",
    load: () => lazy(import("./pages/Generations.svelte")),
  },
  {
    path: "operations",
    title: texts.pages.operations,
    icon: "operations",
    load: () => lazy(import("./pages/Operations.svelte")),
  },
  {path: "chat", title: texts.pages.chat, icon: "chat", full: true, load: () => lazy(import("./pages/Chat.svelte"))},
]

async function lazy(module: Promise<{readonly default: Component}>): Promise<Component> {
  return (await module).default
}
