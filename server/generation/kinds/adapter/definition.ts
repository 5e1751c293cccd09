import type {AdapterDefinition, Varying} from "../../../../shared/sdk/adapter/adapter.ts"
import type {OwnMethods} from "../../../../shared/sdk/adapter/own-methods.ts"
import {contentFeatures, senderFeatures} from "../../../../shared/sdk/adapter/sender.ts"
import type {TSchema} from "../../../../shared/type.ts"
import {requireKeys} from "../../checks/keys.ts"

const histories = ["replay", "none", "inside"]

const exactVersion = /^\d+\.\d+\.\d+(-[\w.-]+)?$/

/** A Satori method: `guild.member.mute`. */
const method = /^[\w-]+(\.[\w-]+)+$/

const varying: readonly string[] = ["channel", "elements", "payload"] satisfies readonly Varying[]

const named: readonly string[] = [...senderFeatures, ...contentFeatures]

const isOwn = ({name, ...lists}: OwnMethods): boolean =>
  /^[a-z][a-z0-9-]*$/.test(name) && Object.values(lists).every(list => list?.every(each => /^[\w.-]+$/.test(each)))

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value >= 1

/** Checks an adapter's definition, because adapters may be JavaScript. Throws an error that says what is expected. */
export const requireAdapter = (slot: string, adapter: AdapterDefinition<TSchema>): void => {
  requireKeys(`adapter("${slot}")`, adapter, "adapter")
  const {
    open,
    check,
    sockets,
    history,
    forgetsAcknowledged,
    varies = [],
    features = [],
    methods,
    limits: {text, file} = {},
    rate,
    libraries = {},
    roles,
  } = adapter
  const refuse = (what: string): never => {
    throw new TypeError(`adapter("${slot}") ${what}`)
  }
  if (typeof open !== "function") refuse("needs open()")
  if (check !== undefined && typeof check !== "function") refuse("has a check that is not a function")
  if (sockets !== undefined && typeof sockets !== "function")
    refuse("has sockets that is not a function of the account")
  const unpinned = Object.entries(libraries).find(([, version]) => !exactVersion.test(version))
  if (unpinned !== undefined) refuse(`names the library ${unpinned[0]} without an exact version such as 1.2.3`)
  if (!histories.includes(history)) refuse(`needs history: one of ${histories.join(", ")}`)
  if (forgetsAcknowledged !== undefined && typeof forgetsAcknowledged !== "boolean")
    refuse("needs forgetsAcknowledged as true or false")
  if (forgetsAcknowledged === true && history !== "replay")
    refuse("declares forgetsAcknowledged, which needs history: replay")
  if (!varies.every(part => varying.includes(part))) refuse(`needs varies: any of ${varying.join(", ")}`)
  if (!["unique", "local", undefined].includes(roles)) refuse("needs roles: unique or local")
  if (text !== undefined && !isCount(text)) refuse("needs limits.text as a whole number from 1")
  if (file !== undefined && !isCount(file)) refuse("needs limits.file as a whole number of bytes from 1")
  if (rate !== undefined && !(isCount(rate.messages) && rate.per > 0))
    refuse("needs rate.messages as a whole number from 1, and rate.per in milliseconds above 0")
  if (features.includes("upload") && !features.includes("files")) refuse("declares the feature upload without files")
  const onButtons = (["selects", "forms"] as const).find(feature => features.includes(feature))
  if (onButtons !== undefined && !features.includes("buttons")) refuse(`declares ${onButtons}, which needs buttons`)
  if (methods !== undefined && !isOwn(methods))
    refuse("needs methods as a name in lower case, and lists of names in reads, sets and acts")
  const unknown = features.find(feature => !method.test(feature) && !named.includes(feature))
  if (unknown !== undefined)
    refuse(`declares the unknown feature ${unknown}; known are ${named.join(", ")}, methods such as guild.member.mute`)
}
