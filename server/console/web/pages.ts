import type {IconName} from "./parts/icons.ts"
import {texts} from "./texts/texts.ts"

export interface PageEntry {
  /** The first part of its address; empty for the first page. */
  readonly path: string
  /** In the current language. */
  readonly title: string
  readonly icon: IconName
  /** True if a demo token can see nothing of it. */
  readonly full?: boolean
}

type PageName = Exclude<keyof typeof texts.pages, "missing"> & IconName

const page = (name: PageName, more: Partial<PageEntry> = {}): PageEntry => ({
  path: name,
  icon: name,
  ...more,
  get title() {
    return texts.pages[name]
  },
})

/** The pages, in the order of the menu. */
export const pages: readonly PageEntry[] = [
  page("overview", {path: ""}),
  page("metrics"),
  page("events"),
  page("endpoints"),
  page("inbox"),
  page("outbox"),
  page("workroom"),
  page("jobs"),
  page("agents"),
  page("plugins"),
  page("generations"),
  page("operations"),
  page("config", {full: true}),
  page("permissions", {full: true}),
  page("chat", {full: true}),
]
