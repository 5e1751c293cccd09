import type {AdapterDefinition} from "../../../shared/sdk/adapter/adapter.ts"
import type {OwnMethods} from "../../../shared/sdk/adapter/own-methods.ts"
import type {Limits, RateLimit} from "../../../shared/sdk/adapter/sender.ts"
import type {Verify} from "../../../shared/sdk/adapter/verify.ts"
import type {ActionDefinition} from "../../../shared/sdk/plugin/action.ts"
import type {FormDefinition} from "../../../shared/sdk/plugin/declare-form.ts"
import type {HearsDefinition} from "../../../shared/sdk/plugin/hears.ts"
import type {DefaultSchedule, JobDefinition} from "../../../shared/sdk/plugin/job.ts"
import type {PageFolder} from "../../../shared/sdk/plugin/page.ts"
import type {PluginDefinition} from "../../../shared/sdk/plugin/plugin.ts"
import type {PromptDefinition} from "../../../shared/sdk/plugin/prompt.ts"
import type {PluginRoute} from "../../../shared/sdk/plugin/route.ts"
import type {ToolDefinition} from "../../../shared/sdk/plugin/tool.ts"
import type {RequestValue, WebhookDefinition} from "../../../shared/sdk/plugin/webhook.ts"
import type {Cooldown, OptionDefinition} from "../../../shared/sdk/session/command.ts"
import type {PluginMigration} from "../../../shared/sdk/session/database.ts"
import type {
  EventFilter,
  EventHandlerDefinition,
  HandlerDefinition,
  Named,
} from "../../../shared/sdk/session/handler.ts"
import type {CommandDefinition} from "../../../shared/sdk/session/session.ts"
import type {StateOptions} from "../../../shared/sdk/session/state.ts"
import type {TimerDefinition} from "../../../shared/sdk/session/timer.ts"
import type {TSchema} from "../../../shared/type.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"

/** Keys, each with those of its value; `true` for a value that is checked elsewhere, `*` for any key. */
interface Known {
  readonly [key: string]: true | Known
}

/** All keys of a type, so that the compiler finds a missing one. */
type KeysOf<T> = {readonly [K in Extract<T extends unknown ? keyof T : never, string>]-?: true | Known}

const handling = {retries: true, order: true, maxAge: true} satisfies KeysOf<HandlerDefinition>
const filter = {channel: true, user: true, platform: true, endpoint: true} satisfies KeysOf<EventFilter>
const cooldown = {per: true, seconds: true} satisfies KeysOf<Cooldown>
const value = {header: true, field: true} satisfies KeysOf<Exclude<RequestValue, (...all: never[]) => unknown>>
const action = {data: true, expires: true, once: true, who: true} satisfies KeysOf<ActionDefinition>

const keys = {
  definePlugin: {
    description: true,
    config: true,
    uses: true,
    platform: true,
    raw: true,
    setup: true,
  } satisfies KeysOf<PluginDefinition>,
  command: {
    ...handling,
    description: true,
    aliases: true,
    options: {
      "*": {
        type: true,
        short: true,
        description: true,
        choices: true,
        default: true,
        list: true,
      } satisfies KeysOf<OptionDefinition>,
    },
    examples: true,
    hidden: true,
    permission: true,
    cooldown,
  } satisfies KeysOf<CommandDefinition>,
  on: {...handling, ...filter, name: true, data: true} satisfies KeysOf<EventHandlerDefinition>,
  hears: {...handling, ...filter, name: true, permission: true, cooldown} satisfies KeysOf<HearsDefinition>,
  middleware: {name: true} satisfies KeysOf<Named>,
  prompt: {data: true, expires: true, cancel: true, takesCommands: true} satisfies KeysOf<PromptDefinition<TSchema>>,
  action,
  form: {...action, fields: true, labels: true, cancel: true} satisfies KeysOf<FormDefinition>,
  timer: {retries: true, order: true, data: true, missed: true, maxLate: true} satisfies KeysOf<TimerDefinition>,
  job: {
    description: true,
    data: true,
    schedule: {
      cron: true,
      every: true,
      from: true,
      timezone: true,
      data: true,
      missed: true,
      overlap: true,
      jitter: true,
    } satisfies KeysOf<DefaultSchedule>,
    timeout: true,
  } satisfies KeysOf<JobDefinition>,
  tool: {
    description: true,
    parameters: true,
    effect: true,
    permission: true,
    approval: true,
    timeout: true,
  } satisfies KeysOf<ToolDefinition>,
  webhook: {
    ...handling,
    verify: {
      secret: true,
      by: true,
      header: true,
      algorithm: true,
      encoding: true,
      prefix: true,
      timestamp: true,
      before: true,
    } satisfies KeysOf<Verify>,
    id: value,
    type: value,
    user: value,
    data: true,
  } satisfies KeysOf<WebhookDefinition>,
  route: {
    method: true,
    path: true,
    scope: true,
    summary: true,
    body: true,
    query: true,
    response: true,
    status: true,
    stream: true,
    handle: true,
  } satisfies KeysOf<PluginRoute>,
  page: {folder: true} satisfies KeysOf<PageFolder>,
  state: {name: true} satisfies KeysOf<StateOptions>,
  migrate: {name: true, up: true, undo: true, irreversible: true} satisfies KeysOf<PluginMigration>,
  adapter: {
    description: true,
    account: true,
    history: true,
    forgetsAcknowledged: true,
    idempotent: true,
    resumes: true,
    rate: {messages: true, per: true} satisfies KeysOf<RateLimit>,
    features: true,
    methods: {name: true, reads: true, sets: true, acts: true} satisfies KeysOf<OwnMethods>,
    lacks: true,
    limits: {text: true, file: true} satisfies KeysOf<Limits>,
    libraries: true,
    packages: true,
    claimedUsers: true,
    roles: true,
    claimedIds: true,
    varies: true,
    ignoresCase: true,
    open: true,
    check: true,
    webhook: true,
    sockets: true,
  } satisfies KeysOf<AdapterDefinition<TSchema>>,
}

/** A declaration with keys, by the function that makes it. */
export type Keyed = keyof typeof keys

/** Throws for a definition that is no object, or that has a key that svc does not know. Plugins may be JavaScript. */
export const requireKeys = (what: string, given: unknown, of: Keyed): void => {
  if (typeof given !== "object" || given === null) throw new TypeError(`${what} needs its options as an object`)
  requireKnown(what, given, keys[of])
}

const requireKnown = (what: string, given: object, known: Known): void => {
  for (const [key, value] of Object.entries(given)) {
    const inner = Object.hasOwn(known, key) ? known[key] : known["*"]
    if (inner === undefined) throw new Error(`${what}: unknown key ${key}${hintFor(key, Object.keys(known))}`)
    if (inner !== true && typeof value === "object" && value !== null) requireKnown(`${what}: ${key}`, value, inner)
  }
}

const hintFor = (key: string, known: readonly string[]): string =>
  didYouMean(key, known) || `; the keys are ${known.join(", ")}`
