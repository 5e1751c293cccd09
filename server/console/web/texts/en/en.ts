import {agents} from "./agents.ts"
import {attention} from "./attention.ts"
import {chat} from "./chat.ts"
import {config, configForm} from "./config.ts"
import {endpoints} from "./endpoints.ts"
import {events} from "./events.ts"
import {generations} from "./generations.ts"
import {scheduling} from "./job-form.ts"
import {jobs, timers} from "./jobs.ts"
import {messages} from "./messages.ts"
import {metrics} from "./metrics.ts"
import {operations} from "./operations.ts"
import {missed, overview} from "./overview.ts"
import {permissions} from "./permissions.ts"
import {plugins} from "./plugins.ts"
import {sentences} from "./sentences.ts"
import {shell} from "./shell.ts"
import {workroom} from "./workroom.ts"

/** Every text of the console in English. If another language lacks a text, the console shows the English one. */
export const en = {
  ...shell,
  overview,
  missed,
  metrics,
  attention,
  events,
  sentences,
  messages,
  generations,
  operations,
  endpoints,
  workroom,
  plugins,
  configForm,
  timers,
  jobs,
  scheduling,
  agents,
  config,
  permissions,
  chat,
} as const

/** The table of any language: the same keys and arguments, other words. */
type Said<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : T extends readonly string[]
      ? readonly string[]
      : {readonly [Key in keyof T]: Said<T[Key]>}

/** Every text of the console. */
export type Texts = Said<typeof en>

/** Texts, of which some may be missing. */
export type Lacking<T> = T extends string | readonly string[] | ((...given: never) => string)
  ? T
  : {readonly [Key in keyof T]?: Lacking<T[Key]>}

/** A part of a table, by its key. */
export type Part<Key extends keyof Texts> = Lacking<Texts[Key]>
