import {type LabelState, type StatusPage, type Uptime, wholeBot} from "../../../shared/api/metrics/status-page.ts"
import type {StatusLabel, StatusSettings} from "../../../shared/config/config.ts"
import {firstOfEach} from "../../database/gather.ts"
import {renderPage} from "./status-page.ts"
import type {Language} from "./status-texts.ts"

/** The state of the subjects behind the labels. */
export interface StatusFacts {
  isReady(): boolean
  isPaused(): boolean
  isOnline(endpoint: string): boolean
  isActive(plugin: string): boolean
  isConfigured(agent: string): boolean
}

export interface StatusBoardOptions {
  /** `status` of the running configuration. */
  readonly settings: () => StatusSettings
  readonly facts: StatusFacts
  readonly uptime: (subject: string) => Uptime
}

/** How long a page is reused, in milliseconds. */
const freshFor = 3000

/** The subject of a label, under its name in the metric history. */
export const subjectOf = ({endpoint, plugin, agent}: StatusLabel): string => {
  if (endpoint !== undefined) return `endpoint/${endpoint}`
  if (plugin !== undefined) return `plugin/${plugin}`
  return agent === undefined ? wholeBot : `agent/${agent}`
}

export const subjectsOf = ({labels}: StatusSettings): readonly string[] => [...new Set(labels.map(subjectOf))]

interface Made {
  readonly of: StatusSettings
  readonly at: number
  readonly page: StatusPage
  readonly html: Map<Language, string>
}

/** The public status page, rendered from memory and rendered again only after a few seconds. */
export class StatusBoard {
  readonly #options: StatusBoardOptions
  #made: Made | undefined

  constructor(options: StatusBoardOptions) {
    this.#options = options
  }

  get isOn(): boolean {
    return this.#options.settings().labels.length > 0
  }

  get page(): StatusPage {
    return this.#make().page
  }

  html(language: Language): string {
    const {page, html} = this.#make()
    const made = html.get(language) ?? renderPage(page, language)
    html.set(language, made)
    return made
  }

  /** The current state of each subject, for the metric history. */
  watch(): readonly {readonly name: string; readonly state: LabelState}[] {
    const {labels} = this.#options.settings()
    if (labels.length === 0) return []
    const states = labels.map(label => ({name: subjectOf(label), state: this.#stateOf(label)}))
    return firstOfEach(states, ({name}) => name)
  }

  #make(): Made {
    const settings = this.#options.settings()
    const now = performance.now()
    const made = this.#made
    if (made !== undefined && made.of === settings && now < made.at + freshFor) return made
    const {title, note, labels} = settings
    const shown = labels.map(label => ({
      label: label.label,
      state: this.#stateOf(label),
      uptime: this.#options.uptime(subjectOf(label)),
    }))
    const page = {
      title,
      note: note ?? null,
      state: overallOf(shown.map(({state}) => state)),
      at: new Date().toISOString(),
      labels: shown,
    }
    this.#made = {of: settings, at: now, page, html: new Map()}
    return this.#made
  }

  #stateOf(label: StatusLabel): LabelState {
    if (!this.#works(label)) return "down"
    return this.#options.facts.isPaused() ? "paused" : "up"
  }

  #works({endpoint, plugin, agent}: StatusLabel): boolean {
    const {facts} = this.#options
    if (endpoint !== undefined) return facts.isOnline(endpoint)
    if (plugin !== undefined) return facts.isActive(plugin)
    return agent === undefined ? facts.isReady() : facts.isConfigured(agent)
  }
}

const overallOf = (states: readonly LabelState[]): StatusPage["state"] => {
  if (states.every(state => state === "down")) return "down"
  if (states.includes("down")) return "partly down"
  return states.includes("paused") ? "paused" : "up"
}

const unknown: Uptime = {"24h": null, "7d": null, "30d": null, "90d": null}

/** The page during startup: nothing runs yet, and no history is read. */
export const startingStatus = (settings: StatusSettings) => {
  const {title, note, labels} = settings
  return {
    isOn: labels.length > 0,
    get page(): StatusPage {
      return {
        title,
        note: note ?? null,
        state: "starting",
        at: new Date().toISOString(),
        labels: labels.map(({label}) => ({label, state: "down", uptime: unknown})),
      }
    },
    html(language: Language): string {
      return renderPage(this.page, language)
    },
  }
}
