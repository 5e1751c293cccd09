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
import type {EventHandlerDefinition, Named} from "../../../shared/sdk/session/handler.ts"
import type {CommandDefinition} from "../../../shared/sdk/session/session.ts"
import type {StateOptions} from "../../../shared/sdk/session/state.ts"
import type {TimerDefinition} from "../../../shared/sdk/session/timer.ts"
import type {TSchema} from "../../../shared/type.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"

/** The keys of a declaration, and those of the objects under them; `each`: it has any keys, with equal objects. */
interface Known {
  readonly keys: readonly string[]
  readonly inside?: Readonly<Record<string, Known>>
  readonly each?: Known
}

type Words<S extends string> = S extends `${infer Word} ${infer More}` ? Word | Words<More> : S
type KeyOf<T> = T extends unknown ? Extract<keyof T, string> : never

/** Takes all keys of a type in one text. The compilation fails for a text with more or fewer. */
const keysOf =
  <T>() =>
  <const S extends string>(
    text: S & ([KeyOf<T>, Words<S>] extends [Words<S>, KeyOf<T>] ? unknown : {readonly lacks: KeyOf<T>}),
    inside: Known["inside"] = {},
  ): Known => ({keys: text.split(" "), inside})

const handling = "retries order maxAge"
const filters = "channel user platform endpoint"
const cooldown = keysOf<Cooldown>()("per seconds")
const option = keysOf<OptionDefinition>()("type short description choices default list")
const schedule = keysOf<DefaultSchedule>()("cron every from timezone data missed overlap jitter")
const verify = keysOf<Verify>()("secret by header algorithm encoding prefix timestamp before")
const value = keysOf<Exclude<RequestValue, (...all: never[]) => unknown>>()("header field")
const rate = keysOf<RateLimit>()("messages per")
const limits = keysOf<Limits>()("text file")
const methods = keysOf<OwnMethods>()("name reads sets acts")

const known = {
  definePlugin: keysOf<PluginDefinition>()("description config uses platform raw setup"),
  command: keysOf<CommandDefinition>()(
    `${handling} ${filters} description aliases options examples hidden permission cooldown`,
    {cooldown, options: {keys: [], each: option}},
  ),
  on: keysOf<EventHandlerDefinition>()(`${handling} ${filters} name type data`),
  hears: keysOf<HearsDefinition>()(`${handling} ${filters} name permission cooldown`, {cooldown}),
  middleware: keysOf<Named>()("name"),
  prompt: keysOf<PromptDefinition<TSchema>>()("data expires cancel takesCommands"),
  action: keysOf<ActionDefinition>()("data expires once who permission"),
  form: keysOf<FormDefinition>()("data expires once who permission fields labels choices cancel"),
  timer: keysOf<TimerDefinition>()("retries order data missed maxLate"),
  job: keysOf<JobDefinition>()("description data schedule timeout", {schedule}),
  tool: keysOf<ToolDefinition>()("description parameters effect permission approval timeout"),
  webhook: keysOf<WebhookDefinition>()(`${handling} verify id type user data`, {
    verify,
    id: value,
    type: value,
    user: value,
  }),
  route: keysOf<PluginRoute>()("method path scope summary body query response status stream handle"),
  page: keysOf<PageFolder>()("folder"),
  state: keysOf<StateOptions>()("name"),
  migrate: keysOf<PluginMigration>()("name up undo irreversible"),
  adapter: keysOf<AdapterDefinition<TSchema>>()(
    "description account history forgetsAcknowledged idempotent resumes rate features methods lacks limits libraries packages claimedUsers roles claimedIds varies ignoresCase open check webhook sockets",
    {rate, limits, methods},
  ),
}

/** A declaration with keys, by the function that makes it. */
export type Keyed = keyof typeof known

/** Throws for a definition that is no object, or that has a key that svc does not know. Plugins may be JavaScript. */
export const requireKeys = (what: string, given: unknown, of: Keyed): void => {
  if (typeof given !== "object" || given === null) throw new TypeError(`${what} needs its options as an object`)
  requireKnown(what, given, known[of])
}

const requireKnown = (what: string, given: object, {keys, inside = {}, each}: Known): void => {
  for (const [key, value] of Object.entries(given)) {
    if (each === undefined && !keys.includes(key))
      throw new Error(`${what}: unknown key ${key}${didYouMean(key, keys) || `; the keys are ${keys.join(", ")}`}`)
    const inner = each ?? (Object.hasOwn(inside, key) ? inside[key] : undefined)
    if (inner !== undefined && typeof value === "object" && value !== null)
      requireKnown(`${what}: ${key}`, value, inner)
  }
}
