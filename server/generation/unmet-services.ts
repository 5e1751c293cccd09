import {Problem} from "../../shared/problems.ts"
import type {LoadedConfig} from "../config/load.ts"
import {didYouMean} from "../runtime/text/suggest.ts"
import type {Instance} from "./instances/instance.ts"
import {providersIn} from "./instances/services.ts"

interface Unmet {
  readonly instance: Instance
  readonly service: string
}

/**
 * Returns why the `waiting` instances were not set up if nothing else failed: `service_missing` or `service_circular`.
 * Only their `setup` shows what they would provide, so it runs here with services that refuse each call. The caller
 * then discards the draft and undoes it.
 */
export const explainWaiting = async (
  loaded: LoadedConfig,
  ready: readonly Instance[],
  waiting: readonly Instance[],
  signal: AbortSignal,
): Promise<Problem> => {
  const tried = await Promise.allSettled(waiting.map(instance => instance.setup(new Map(), signal)))
  const broken = waiting.filter((_, index) => tried[index]?.status === "rejected").map(({name}) => name)
  const [provided, offered] = [providersIn(ready), providersIn(waiting)]
  const unmetOf = (instance: Instance): readonly Unmet[] =>
    [...instance.uses.values()].filter(service => !provided.has(service)).map(service => ({instance, service}))
  const names = [...provided.keys(), ...offered.keys()].sort()
  const missing = waiting
    .flatMap(unmetOf)
    .filter(({service}) => !offered.has(service))
    .map(({instance, service}) => ({
      instance,
      message: `uses the service "${service}", which no enabled plugin provides${didYouMean(service, names)}; ${
        names.length === 0 ? "there are no services" : `the services are ${names.join(", ")}`
      }${broken.length === 0 ? "" : `, and those that ${broken.join(", ")} would provide after calling other services in setup`}`,
    }))
  const circles = findCircles(waiting, unmetOf, offered).map(([first, ...others]) => ({
    instance: first.instance,
    message: `services in a circle: ${[first, ...others]
      .map(({instance, service}) => `${instance.name} uses "${service}" of ${offered.get(service)?.name}`)
      .join(", ")}`,
  }))
  const found = [...missing, ...circles]
  const issues = found.map(({instance, message}) => loaded.source.issue(["plugins", instance.name], message, "key"))
  const text = found.map(({instance, message}) => `plugins.${instance.name} ${message}`).join("; ")
  return new Problem(missing.length > 0 ? "service_missing" : "service_circular", text, {issues})
}

type Circle = readonly [Unmet, ...Unmet[]]

/** Each circle once, from the first of its plugins. */
const findCircles = (
  waiting: readonly Instance[],
  unmetOf: (instance: Instance) => readonly Unmet[],
  offered: ReadonlyMap<string, Instance>,
): readonly Circle[] => {
  const told = new Set<Instance>()
  const wayBack = (from: Instance, to: Instance, seen: Set<Instance>): Circle | undefined => {
    for (const unmet of unmetOf(from)) {
      const next = offered.get(unmet.service)
      if (next === to) return [unmet]
      if (next === undefined || seen.has(next)) continue
      seen.add(next)
      const rest = wayBack(next, to, seen)
      if (rest !== undefined) return [unmet, ...rest]
    }
    return undefined
  }
  return waiting.flatMap(instance => {
    const circle = told.has(instance) ? undefined : wayBack(instance, instance, new Set())
    for (const part of circle ?? []) told.add(part.instance)
    return circle === undefined ? [] : [circle]
  })
}
