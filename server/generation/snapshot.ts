import type {Binding} from "../../shared/agents/binding.ts"
import type {PluginEntry, ProjectConfig} from "../../shared/config/config.ts"
import {durationOf} from "../../shared/duration.ts"
import {capabilityId, endpointName} from "../../shared/ids.ts"
import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {type Issue, messageOf, Problem} from "../../shared/problems.ts"
import type {AdapterDefinition} from "../../shared/sdk/adapter/adapter.ts"
import {refused} from "../../shared/sdk/adapter/refusal.ts"
import {contentFeatures, type Feature, type Sender, senderFeatures} from "../../shared/sdk/adapter/sender.ts"
import type {HandlerDefinition} from "../../shared/sdk/session/handler.ts"
import {Secret} from "../../shared/secret.ts"
import type {TSchema} from "../../shared/type.ts"
import {check} from "../config/check.ts"
import {closed} from "../config/close.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {Delivery} from "../endpoints/policy.ts"
import type {EndpointSpec} from "../endpoints/spec.ts"
import {parsePattern} from "../messages/arguments/pattern.ts"
import {checkCallRules} from "../messages/call-command.ts"
import type {Command} from "../messages/command/command.ts"
import {permissionBy, readRules} from "../messages/command/permissions.ts"
import {createForm} from "../messages/forms/form.ts"
import type {HearsHandler} from "../messages/hears.ts"
import {readLanguages} from "../messages/language/languages.ts"
import {
  type ActionRunner,
  type Continuation,
  type EventHandler,
  type Handler,
  type TimerRunner,
  type Wants,
  wantsKey,
} from "../messages/session/handler.ts"
import type {MiddlewareHandler} from "../messages/session/run-handler.ts"
import {createMessageTable} from "../messages/table.ts"
import type {HostTexts} from "../messages/texts/host-texts.ts"
import type {DeclaredTexts} from "../plugins/declarations/texts.ts"
import type {Instance} from "../plugins/instance.ts"
import {sha256Of} from "../runtime/files.ts"
import {createLoad} from "../runtime/packages/libraries.ts"
import {capabilitiesOf, conflicts} from "./capabilities.ts"
import {ruleIssues} from "./checks/rule-issues.ts"
import type {PublishedJob, PublishedPage, PublishedTool, Snapshot} from "./generation.ts"
import {knownLanguages} from "./languages/known-languages.ts"

export interface SnapshotResult {
  readonly snapshot: Snapshot
  readonly issues: readonly Issue[]
  /** Secrets of the accounts, for masking. */
  readonly secrets: readonly string[]
}

type Runner = {readonly command: Command; readonly runner: Handler}

/** Combines the declarations of the instances, and finds conflicts. */
export const buildSnapshot = (
  loaded: LoadedConfig,
  instances: readonly Instance[],
  agents: ReadonlyMap<string, Binding>,
  texts: HostTexts,
  log: Log,
): SnapshotResult => {
  const issues: Issue[] = []
  const secrets: string[] = []
  const report = (instance: Instance, message: string) =>
    issues.push(loaded.source.issue(["plugins", instance.name], message, "key"))
  const commands = instances.flatMap(instance => commandsOf(instance, message => report(instance, message)))
  const endpoints = instances.flatMap(instance => {
    const found = endpointsOf(loaded, instance, message => report(instance, message))
    issues.push(...found.issues)
    secrets.push(...found.secrets)
    return found.specs
  })
  for (const [instance, message] of conflicts(instances, commands, endpoints)) report(instance, message)
  const forms = instances.flatMap(instance => formsOf(instance, texts, message => report(instance, message)))
  const adapters = adaptersOf(instances, endpoints)
  issues.push(...ruleIssues(loaded, adapters))
  const idRules = [...adapters].map(([name, {ignoresCase = false}]) => [name, {ignoresCase}] as const)
  const ruleOf = readRules(loaded.config.permissions, new Map(idRules))
  const known = knownLanguages(loaded, instances)
  const messages = createMessageTable({
    prefixes: (loaded.config as ProjectConfig).commands.prefixes,
    failureText: (loaded.config as ProjectConfig).messages.failure,
    ages: agesOf(loaded.config as ProjectConfig, endpoints),
    orders: (loaded.config as ProjectConfig).inbox.order,
    rates: (loaded.config as ProjectConfig).inbox.limits,
    commands,
    handlers: instances.flatMap(handlersOf),
    hears: instances.flatMap(instance => hearsOf(instance, message => report(instance, message))),
    permissionOf: permissionBy(loaded.config.permissions, ruleOf),
    ruleOf,
    languages: readLanguages({known, rules: loaded.config.languages.rules}, new Map(idRules)),
    texts,
    prompts: [...instances.flatMap(promptsOf), ...forms.map(({prompt}) => prompt)],
    actions: [...instances.flatMap(actionsOf), ...forms.map(({action}) => action)],
    forms: forms.map(({form}) => form),
    middleware: instances.flatMap(middlewareOf),
    timers: instances.flatMap(timersOf),
    log,
  })
  const jobs = new Map(instances.flatMap(jobsOf))
  const tools = new Map(instances.flatMap(toolsOf))
  const routes = instances.flatMap(instance => instance.registrations.routes.map(route => ({instance, route})))
  const pages = instances.flatMap(instance => pagesOf(loaded, instance))
  const capabilities = instances.flatMap(instance => capabilitiesOf(instance, commands, endpoints, known[0]))
  return {
    snapshot: Object.freeze({messages, endpoints, jobs, tools, routes, pages, capabilities, agents}),
    issues,
    secrets,
  }
}

const agesOf = ({inbox: {maxAge}}: ProjectConfig, endpoints: readonly EndpointSpec[]) => {
  const {notice: tells, ...host} = maxAge
  return {byEndpoint: new Map(endpoints.map(spec => [spec.name, spec.maxAges ?? {}])), host, tells}
}

const runnerOf = (instance: Instance, id: string, {retries = 0, maxAge, order}: HandlerDefinition = {}): Handler => ({
  id,
  retries,
  ...(maxAge === undefined ? {} : {maxAge}),
  ...(order === undefined ? {} : {order}),
  plugin: {
    name: instance.name,
    database: instance.database,
    positionOf: error => instance.positionOf(error),
    prompt: name => instance.registrations.prompts.get(name),
    state: (scope, name) => instance.registrations.states.find(state => state.scope === scope && state.name === name),
    say: (languages, key, values) => textsWith(instance, key).say(languages, key, values),
  },
  log: instance.log,
  signal: instance.scope.signal,
  run: (work, about) => instance.run(work, about, id),
})

/** Returns the instance's texts that have the key. Throws `text_unknown`. */
const textsWith = ({path, registrations: {texts}}: Instance, key: string): DeclaredTexts => {
  const found = texts.find(({keys}) => keys.has(key)) ?? texts[0]
  if (found === undefined) throw new Problem("text_unknown", `${path} declares no texts`)
  return found
}

const commandsOf = (instance: Instance, report: (message: string) => void): Runner[] =>
  instance.registrations.commands.flatMap(({pattern, definition, handle}) => {
    try {
      const parsed = parsePattern(pattern)
      const wrong = checkCallRules(definition)
      if (wrong !== undefined) throw new Error(`"${pattern}": ${wrong}`)
      const id = capabilityId(instance.path, "command", parsed.path.join("."))
      const aliases = (definition.aliases ?? []).map(alias => parsePattern(alias).path)
      return [
        {
          command: {...parsed, id, owner: instance.path, aliases, definition, handle: handle as never},
          runner: runnerOf(instance, id, definition),
        },
      ]
    } catch (error) {
      report(`command ${messageOf(error)}`)
      return []
    }
  })

const handlersOf = (instance: Instance): EventHandler[] =>
  instance.registrations.handlers.map(({id, type, definition, handle}) => ({
    ...runnerOf(instance, id, definition),
    ...wantsOf(definition),
    type,
    handle,
  }))

const wantsOf = (definition: HandlerDefinition & {readonly [wantsKey]?: Wants}) => {
  const wants = definition[wantsKey]
  return wants === undefined ? {} : {wants}
}

const hearsOf = (instance: Instance, report: (message: string) => void): HearsHandler[] =>
  instance.hears.flatMap(({id, shown, definition, compiled, handle}) => {
    const wrong = checkCallRules(definition)
    if (wrong === undefined) return [{...runnerOf(instance, id, definition), definition, pattern: compiled, handle}]
    report(`hears(${shown}): ${wrong}`)
    return []
  })

const middlewareOf = (instance: Instance): MiddlewareHandler[] =>
  instance.registrations.middleware.map(({id, around}) => ({...runnerOf(instance, id), around}))

const promptsOf = (instance: Instance): Continuation[] =>
  [...instance.registrations.prompts.values()].map(prompt => ({...runnerOf(instance, prompt.id), prompt}))

const actionsOf = (instance: Instance): ActionRunner[] =>
  [...instance.registrations.actions.values()].map(action => ({...runnerOf(instance, action.id), action}))

/** Returns each form with the handlers of its answers and presses. */
const formsOf = (instance: Instance, texts: HostTexts, report: (message: string) => void) =>
  [...instance.registrations.forms.values()].flatMap(declared => {
    try {
      const form = createForm(declared, texts)
      return [
        {
          form,
          prompt: {...runnerOf(instance, declared.promptId), prompt: form.prompt},
          action: {...runnerOf(instance, declared.actionId), action: form.action},
        },
      ]
    } catch (error) {
      report(`form("${declared.name}"): ${messageOf(error)}`)
      return []
    }
  })

const timersOf = (instance: Instance): TimerRunner[] =>
  [...instance.registrations.timers.values()].map(timer => ({
    ...runnerOf(instance, timer.id, timer.definition),
    timer,
  }))

const jobsOf = (instance: Instance): [string, PublishedJob][] =>
  [...instance.registrations.jobs].map(([name, job]) => [
    `${instance.name}/${name}`,
    {...runnerOf(instance, job.id), ...job},
  ])

const toolsOf = (instance: Instance): [string, PublishedTool][] =>
  [...instance.registrations.tools].map(([name, tool]) => [
    `${instance.name}.${name}`,
    {...runnerOf(instance, tool.id), ...tool},
  ])

/** Returns the pages that the operator lists; they need no token. */
const pagesOf = (loaded: LoadedConfig, instance: Instance): PublishedPage[] => {
  const listed = loaded.config.plugins[instance.name]?.pages ?? []
  return instance.registrations.pages.flatMap(page => (listed.includes(page.path) ? [{instance, page}] : []))
}

/** Returns what is wrong with the accounts of a running plugin. */
export const accountIssues = (loaded: LoadedConfig, instance: Instance): readonly Issue[] =>
  endpointsOf(loaded, instance, () => {}).issues

const endpointsOf = (loaded: LoadedConfig, instance: Instance, report: (message: string) => void) => {
  const own = loaded.config.plugins[instance.name]
  const entries = own?.endpoints ?? []
  const outboxes = [own?.outbox, (loaded.config as ProjectConfig).outbox]
  const slots = [...instance.registrations.adapters]
  const withAccounts = slots.filter(([, adapter]) => adapter.account !== undefined)
  if (withAccounts.length > 1) report("publishes two adapter slots that take accounts; only one is allowed")
  if (withAccounts.length === 0 && entries.length > 0)
    report("has endpoints, but publishes no adapter slot that takes accounts")
  const specs: EndpointSpec[] = []
  const issues: Issue[] = []
  const secrets: string[] = []
  for (const [slot, adapter] of slots) {
    const whole = {...specOf(instance, slot, adapter, undefined, {}), delivery: deliveryOf(adapter, outboxes)}
    if (adapter.account === undefined) specs.push(whole)
    else if (entries.length === 0) specs.push({...whole, open: undefined, check: undefined})
    else {
      for (const [index, entry] of entries.entries()) {
        const {id, outbox, inbox, ...account} = entry as typeof entry & Record<string, unknown>
        const at = ["plugins", instance.name, "endpoints", index]
        const checked = check(loaded.source, loaded.variables, closed(adapter.account), account, at)
        issues.push(...checked.issues)
        secrets.push(...checked.secrets)
        const delivery = deliveryOf(adapter, [outbox, ...outboxes])
        specs.push({...specOf(instance, slot, adapter, id, checked.value), delivery, maxAges: inbox?.maxAge ?? {}})
      }
    }
  }
  return {specs, issues, secrets}
}

type OutboxSettings = PluginEntry["outbox"] | undefined

/** Combines the settings, of which the first wins. The adapter's rate limit always applies. */
const deliveryOf = (
  {resumes = false, rate: declared}: AdapterDefinition<TSchema>,
  settings: readonly OutboxSettings[],
): Delivery => {
  const {
    onUnknown = "hold",
    rate,
    maxAge = "never",
  }: NonNullable<OutboxSettings> = Object.assign({}, ...settings.toReversed())
  return {
    resumes,
    onUnknown,
    ...(maxAge === "never" ? {} : {maxAge: durationOf(maxAge)}),
    rates: [
      ...(declared === undefined ? [] : [declared]),
      ...(rate === undefined ? [] : [{messages: rate.messages, per: durationOf(rate.per)}]),
    ],
  }
}

/** Returns the adapter of each endpoint, by the endpoint's name. */
const adaptersOf = (instances: readonly Instance[], endpoints: readonly EndpointSpec[]) =>
  new Map(
    endpoints.flatMap(({name, owner, slot}) => {
      const instance = instances.find(({path}) => path === owner)
      const adapter = instance?.registrations.adapters.get(slot)
      return adapter === undefined ? [] : [[name, adapter] as const]
    }),
  )

/** Throws a refusal if the adapter declares a feature that its sender does not have. */
const requireActs = (sender: Sender, {features = []}: AdapterDefinition<TSchema>): Sender => {
  const missing = features.filter(feature => {
    if (contentFeatures.some(each => each === feature)) return false
    const name = senderFeatures.find(each => each === feature) ?? "call"
    return sender[name] === undefined
  })
  if (missing.length === 0) return sender
  throw refused(`the adapter declares ${missing.join(", ")}, but open resolved to a sender without it`, {
    reason: "features",
    remediation: "In the adapter, correct features or the object that open resolves to.",
  })
}

const specOf = (
  instance: Instance,
  slot: string,
  adapter: AdapterDefinition<TSchema>,
  id: string | undefined,
  account: unknown,
): EndpointSpec => {
  const {webhook, check, libraries = {}} = adapter
  const name = endpointName(slot, id)
  const isKnown = adapter.account === undefined || account !== undefined
  const hash = fingerprintOf(account)
  return {
    name,
    owner: instance.path,
    slot,
    fingerprint: `${instance.path} ${instance.id} ${hash}`,
    account: hash,
    history: adapter.history,
    forgetsAcknowledged: adapter.forgetsAcknowledged ?? false,
    idempotent: adapter.idempotent ?? false,
    claimedIds: adapter.claimedIds ?? false,
    varies: adapter.varies ?? [],
    features: featuresOf(adapter, account),
    limits: adapter.limits ?? {},
    log: instance.log.with({endpoint: name}),
    own: work => instance.as(work, {endpoint: name}),
    libraries,
    load: createLoad(instance, libraries, undefined, account === undefined ? [] : adapter.packages?.(account as never)),
    check: check && (tools => instance.run(() => check(account as never, tools), {endpoint: name})),
    open: endpoint =>
      instance.run(async () => requireActs(await adapter.open(account as never, endpoint), adapter), {endpoint: name}),
    webhook:
      webhook &&
      ((request, opened, requestId) => instance.run(() => webhook(request, opened), {endpoint: name, requestId})),
    sockets: isKnown && adapter.sockets?.(account as never) === true,
  }
}

const featuresOf = ({features = [], lacks}: AdapterDefinition<TSchema>, account: unknown): readonly Feature[] => {
  const missing = account === undefined ? [] : (lacks?.(account as never) ?? [])
  return features.filter(feature => !missing.includes(feature))
}

/** Returns a hash of a value with its secrets: equal for equal settings, and not reversible. */
export const fingerprintOf = (value: unknown): string => {
  const text = toJson(value, function (this: Record<string, unknown>, key, item) {
    const original = this[key]
    return original instanceof Secret ? {secret: original.reveal()} : item
  })
  return sha256Of(text ?? "")
}
