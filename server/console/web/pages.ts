import type {IconName} from "./parts/icons.ts"
import {texts} from "./texts.ts"

export interface PageEntry {
  /** The first part of its address; empty for the first page. */
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** True where a demo token can show nothing of it. */
  readonly full?: boolean
}

/** The pages, in the order of the menu. */
export const pages: readonly PageEntry[] = [
  {path: "", title: texts.pages.overview, icon: "overview"},
  {path: "metrics", title: texts.pages.metrics, icon: "metrics"},
  {path: "events", title: texts.pages.events, icon: "events"},
  {path: "endpoints", title: texts.pages.endpoints, icon: "endpoints"},
  {path: "inbox", title: texts.pages.inbox, icon: "inbox"},
  {path: "outbox", title: texts.pages.outbox, icon: "outbox"},
  {path: "workroom", title: texts.pages.workroom, icon: "workroom"},
  {path: "jobs", title: texts.pages.jobs, icon: "jobs"},
  {path: "agents", title: texts.pages.agents, icon: "agents"},
  {path: "plugins", title: texts.pages.plugins, icon: "plugins"},
  {path: "generations", title: texts.pages.generations, icon: "generations"},
  {path: "operations", title: texts.pages.operations, icon: "operations"},
  {path: "chat", title: texts.pages.chat, icon: "chat", full: true},
]
