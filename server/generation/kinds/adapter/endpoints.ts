import type {PluginEntry, ProjectConfig} from "../../../../shared/config/config.ts"
import {durationOf} from "../../../../shared/duration.ts"
import {endpointName} from "../../../../shared/ids.ts"
import {toJson} from "../../../../shared/json.ts"
import type {Issue} from "../../../../shared/problems.ts"
import type {AdapterDefinition} from "../../../../shared/sdk/adapter/adapter.ts"
import {refused} from "../../../../shared/sdk/adapter/refusal.ts"
import {contentFeatures, type Feature, type Sender, senderFeatures} from "../../../../shared/sdk/adapter/sender.ts"
import {Secret} from "../../../../shared/secret.ts"
import type {TSchema} from "../../../../shared/type.ts"
import {check} from "../../../config/check.ts"
import {closed} from "../../../config/close.ts"
import type {LoadedConfig} from "../../../config/load.ts"
import type {Delivery} from "../../../endpoints/policy.ts"
import type {EndpointSpec} from "../../../endpoints/spec.ts"
import {sha256Of} from "../../../runtime/files.ts"
import {createLoad} from "../../../runtime/packages/libraries.ts"
import type {Owner} from "../kind.ts"

export interface PublishedEndpoint {
  readonly spec: EndpointSpec
  readonly adapter: AdapterDefinition<TSchema>
}

/** Returns the endpoints of an instance, and what is wrong with its accounts. `adapters` is by slot. */
export const endpointsOf = (
  loaded: LoadedConfig,
  instance: Owner,
  adapters: ReadonlyMap<string, AdapterDefinition<TSchema>>,
  report: (message: string) => void,
) => {
  const own = loaded.config.plugins[instance.name]
  const entries = own?.endpoints ?? []
  const outboxes = [own?.outbox, (loaded.config as ProjectConfig).outbox]
  const slots = [...adapters]
  const withAccounts = slots.filter(([, adapter]) => adapter.account !== undefined)
  if (withAccounts.length > 1) report("publishes two adapter slots that take accounts; only one is allowed")
  if (withAccounts.length === 0 && entries.length > 0)
    report("has endpoints, but publishes no adapter slot that takes accounts")
  const endpoints: PublishedEndpoint[] = []
  const issues: Issue[] = []
  const secrets: string[] = []
  for (const [slot, adapter] of slots) {
    const whole = {...specOf(instance, slot, adapter, undefined, {}), delivery: deliveryOf(adapter, outboxes)}
    if (adapter.account === undefined) endpoints.push({adapter, spec: whole})
    else if (entries.length === 0) endpoints.push({adapter, spec: {...whole, open: undefined, check: undefined}})
    else {
      for (const [index, entry] of entries.entries()) {
        const {id, outbox, inbox, ...account} = entry as typeof entry & Record<string, unknown>
        const at = ["plugins", instance.name, "endpoints", index]
        const checked = check(loaded.source, loaded.variables, closed(adapter.account), account, at)
        issues.push(...checked.issues)
        secrets.push(...checked.secrets)
        const delivery = deliveryOf(adapter, [outbox, ...outboxes])
        const spec = {...specOf(instance, slot, adapter, id, checked.value), delivery, maxAges: inbox?.maxAge ?? {}}
        endpoints.push({adapter, spec})
      }
    }
  }
  return {endpoints, issues, secrets}
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

/** Throws a refusal if the adapter declares a feature that its sender does not have. */
const requireActs = (sender: Sender, {features = [], methods}: AdapterDefinition<TSchema>): Sender => {
  const declared = methods === undefined ? features : [...features, `${methods.name}/…`]
  const missing = declared.filter(feature => {
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

export const specOf = (
  instance: Owner,
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
    methods: adapter.methods,
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
